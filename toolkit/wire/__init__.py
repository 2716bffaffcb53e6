"""The service on paper: endpoints, messages and records. No input or output, no clock."""
