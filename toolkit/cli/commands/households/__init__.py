"""Commands about all households: status, what needs attention, the desk."""
