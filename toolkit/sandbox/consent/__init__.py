"""The hosted consent pages: plain HTML forms, no script."""
