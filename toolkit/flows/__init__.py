"""READ FIRST: what happens after what. Functions without state.

connect, sync, load files, price, forecast, report, forget: each takes a `Context` and gives the command's answer.
"""
