"""Frame → plotly figure. Pure: no Streamlit, no clock, no disk. Colours, formats and escaping are in `style`."""
