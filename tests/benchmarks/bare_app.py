"""A Streamlit app of two pages with a figure and a chart each, and the imports of ours: nothing can be quicker."""

import plotly.graph_objects as go
import streamlit as st

import toolkit.pages.entry


def page(title: str) -> None:
    """Draw a title, a figure and a chart."""
    st.title(title)
    st.metric("A figure", "$1,234")
    st.plotly_chart(go.Figure(go.Bar(x=list(range(12)), y=list(range(12)))), key=title)


def first() -> None:
    page("First")


def second() -> None:
    page("Second")


assert toolkit.pages.entry.VIEWS
st.set_page_config(layout="wide")
st.navigation([st.Page(first, title="First", default=True), st.Page(second, title="Second")]).run()
