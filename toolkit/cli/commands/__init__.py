"""The commands, by what a person is about to do."""
