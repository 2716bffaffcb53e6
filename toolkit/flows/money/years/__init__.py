"""Answers about periods and financial years: budgets, the year in review, fees."""
