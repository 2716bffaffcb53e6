"""Analyses: frames in, frames or answers out.

No current time, disk, network or randomness: `today` and seeds are arguments.
"""
