"""Check invoices against the reads and the plan in force."""
