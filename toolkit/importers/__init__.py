"""Files in: good rows and problems come back side by side. Nothing here knows the store."""
