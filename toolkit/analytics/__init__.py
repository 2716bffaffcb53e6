"""THE CENTRE: frames in, frames out. No clock, disk, network or randomness; `today` and seeds are arguments."""
