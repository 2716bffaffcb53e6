"""The app's pages. Edge: Streamlit only; they ask flows and draw what comes back."""
