"""The house vocabulary: every table's columns, types, units and keys; and where text becomes numbers. No IO."""
