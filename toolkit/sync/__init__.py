"""What to ask the service for, and what its answers mean for what is stored. Pure: no store, no network, no clock."""
