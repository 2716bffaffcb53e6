"""The report to hand over: chosen sections as one HTML page, and income and expenses as CSV."""
