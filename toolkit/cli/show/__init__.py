"""Answers as text for a person, one function an answer."""
