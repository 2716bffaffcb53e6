"""The stored data as a whole: export, backup, report, doctor."""
