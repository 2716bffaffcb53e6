"""The command line: arguments → one flow → a printed table or JSON. Start with `toolkit` alone."""

import gc

gc.set_threshold(100_000)
"""A command allocates many objects that stay, most of them while modules load: looking for garbage among them after
every 700, Python's default, takes a twentieth of a short command's time."""
