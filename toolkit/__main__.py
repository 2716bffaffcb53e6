"""`python -m toolkit` is `toolkit`."""

from toolkit.cli import main

main()
