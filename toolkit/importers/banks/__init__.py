"""Bank files: CSV exports of Australian banks, OFX, QIF."""
