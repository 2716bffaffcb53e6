"""One frozen type per command's answer: the command line, pages, reports and notebooks read its attributes.

The JSON that `--json` prints and its JSON Schema (`toolkit schema`) are derived from these types.
"""
