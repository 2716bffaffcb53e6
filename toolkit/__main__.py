"""`python -m toolkit` is `toolkit`."""

from toolkit.cli.main import main

main()
