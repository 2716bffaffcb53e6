"""The page on which data comes in: files, the home, connected accounts, and how fresh everything is."""

FILES, YOUR_HOME, ENERGY_PLAN = "Files", "Your home", "Energy plan"
CONNECTED_ACCOUNTS, STORED_DATA = "Connected accounts", "Stored data"
"""Its tabs, to which other pages link."""
DATA_TABS = "data-tab"
"""Key of the tabs."""
