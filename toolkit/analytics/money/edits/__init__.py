"""What people of a household set of transactions and categories: excluded, split, tagged; own names and groups."""
