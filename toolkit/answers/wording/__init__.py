"""The sentences of notes and insights, by code."""
