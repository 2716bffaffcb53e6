"""Bills kept by hand: list, add, edit, remove, and read from a PDF."""
