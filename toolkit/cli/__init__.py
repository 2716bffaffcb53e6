"""The command line: arguments → one flow → a printed table or JSON. Start with `toolkit` alone."""
