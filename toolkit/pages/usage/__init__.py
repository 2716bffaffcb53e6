"""The Usage page: when energy is used, and what it costs."""
