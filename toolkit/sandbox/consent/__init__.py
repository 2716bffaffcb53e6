"""The hosted consent pages: plain HTML forms that need no script, and the link component that frames them."""
