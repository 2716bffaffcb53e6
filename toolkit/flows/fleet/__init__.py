"""The same analyses over many households side by side, each on a partition of its own."""
