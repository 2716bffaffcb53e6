"""What Streamlit runs for every visit, when the app was started by `toolkit app`."""

from toolkit.pages.entry import main

main()
