"""Energy bills as PDF: their text, and what can be read of it."""
