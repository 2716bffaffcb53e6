"""`streamlit run app.py`; `toolkit app` starts the same from inside the package, and asks for a token."""

from toolkit.pages.entry import main

main()
