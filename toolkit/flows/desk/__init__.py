"""What needs attention in a household, and the table of all households: `insights`, `desk`."""
