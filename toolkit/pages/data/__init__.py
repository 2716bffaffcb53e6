"""The page on which data comes in: files, the home, connected accounts, and how fresh everything is."""
