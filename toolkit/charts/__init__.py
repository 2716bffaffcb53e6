"""Frame → plotly figure. Pure: no Streamlit, no files. Colours, formats and escaping are in `style`."""
