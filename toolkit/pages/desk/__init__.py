"""Parts of the Households page: the table, what can be done with the household chosen in it, and what was done."""
