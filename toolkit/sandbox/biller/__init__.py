"""The retailers' own arithmetic: a contract and a meter become the lines of a bill.

Plain and exact, and written apart from the toolkit's analytics on purpose: the two check each other. Prices exclude
GST and are multiplied by 1.1, feed-in carries none, fees are as published; every line is rounded to the cent, half away
from zero; blocks are pooled over the bill; demand is the highest half hour of each calendar month.
"""

from toolkit.sandbox.biller.bill import Line, bill, tax, total
from toolkit.sandbox.biller.calendar import Series, Span, periods_in, season_spans, series

__all__ = ["Line", "Series", "Span", "bill", "periods_in", "season_spans", "series", "tax", "total"]
