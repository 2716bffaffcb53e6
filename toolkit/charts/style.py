"""One look for every figure: palette, light and dark templates, number and date formats, text made safe.

Every figure carries its own template, because Streamlit replaces plotly's default by placeholder colours that
only its own front end resolves: a figure exported from the app's process would come out black.
"""

from __future__ import annotations

import html
import json
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from decimal import Decimal
from typing import Final

import plotly.graph_objects as go

from toolkit.answers.base import JsonValue, with_signs
from toolkit.charts.svg.drawing import svg

# Okabe and Ito's colours, distinct with any common colour blindness, their yellow darkened to show on white, and
# three more. Ten exactly: with fewer, Streamlit silently drops a theme's chart colours.
PALETTE: Final = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#D55E00",
    "#A99A00",
    "#8274C0",
    "#7A8793",
    "#9C6B3F",
)
BLUE, ORANGE, GREEN, _, SKY, VERMILION, OLIVE, PURPLE, GREY, BROWN = PALETTE

IMPORT, EXPORT, CONTROLLED = BLUE, ORANGE, PURPLE
CHARGE, CREDIT = BLUE, GREEN

MONEY_AXIS: Final = "$,.0f"
FONT: Final = "Source Sans, Source Sans Pro, system-ui, sans-serif"
LABEL_LENGTH: Final = 48


@dataclass(frozen=True, slots=True)
class Look:
    """Colours of the page around a figure."""

    name: str
    background: str
    surface: str
    text: str
    muted: str
    grid: str
    paid: str
    """Of money out, as text."""
    received: str
    """Of money in, as text."""
    scale: tuple[str, ...]


LIGHT = Look(
    name="light",
    background="#FFFFFF",
    surface="#F2F5F7",
    text="#1C2833",
    muted="#5B6876",
    grid="#DFE5EA",
    paid="#A84A00",
    received="#006B4E",
    scale=("#F2F5F7", "#9CC9E3", "#2E86C1", "#0B3C5D"),
)
DARK = Look(
    name="dark",
    background="#12181F",
    surface="#1D2630",
    text="#E8EDF2",
    muted="#9FB0BF",
    grid="#2F3B47",
    paid="#F08A4B",
    received="#4CC9A4",
    scale=("#1D2630", "#1F5F8B", "#56B4E9", "#E8F5FD"),
)


def css_variables() -> str:
    """Return the colours of both looks as CSS variables, `--text`, `--muted` and so on, which follow the page's own."""
    light, dark = asdict(LIGHT), asdict(DARK)
    colors = [f"--{name}: light-dark({light[name]}, {dark[name]});" for name in light if name not in ("name", "scale")]
    return " ".join(colors)


def look_named(name: str | None) -> Look:
    """Return the look of Streamlit's theme."""
    return DARK if name == "dark" else LIGHT


def template(look: Look) -> go.layout.Template:
    """Return a plotly template with explicit colours for everything a figure draws."""
    small, heading = {"color": look.muted, "size": 12}, {"color": look.muted, "size": 13}
    axis = {
        "gridcolor": look.grid,
        "zerolinecolor": look.muted,
        "linecolor": look.grid,
        "tickfont": small,
        "title": {"font": heading, "standoff": 10},
        "automargin": True,
    }
    return go.layout.Template(
        layout={
            "colorway": list(PALETTE),
            "font": {"family": FONT, "color": look.text, "size": 14},
            "title": {
                "font": {"color": look.text, "size": 16, "weight": 600},
                "x": 0,
                "xanchor": "left",
                "xref": "container",
            },
            "paper_bgcolor": look.background,
            "plot_bgcolor": look.background,
            "xaxis": axis,
            "yaxis": axis,
            "legend": {"font": {"color": look.text, "size": 13}},
            "hoverlabel": {"bgcolor": look.surface, "bordercolor": look.grid, "font": {"color": look.text}},
            "colorscale": {"sequential": color_stops(look)},
        },
        data={"heatmap": [{"colorbar": {"tickfont": small, "title": {"font": heading}}}]},
    )


def color_stops(look: Look) -> list[list[float | str]]:
    """Return a colour scale as plotly takes it: pairs of a place from 0 to 1 and a colour."""
    last = len(look.scale) - 1
    return [[index / last, color] for index, color in enumerate(look.scale)]


class Chart(go.Figure):
    """A plotly figure that notebooks also keep as SVG, which shows in exported pages without a script."""

    _ipython_display_ = _repr_html_ = None
    """None, so that Jupyter and exporters take the bundle below; plotly's own HTML needs a script."""

    def _repr_mimebundle_(self, *_: object, **__: object) -> dict[str, JsonValue]:
        return {"application/vnd.plotly.v1+json": json.loads(self.to_json()), "image/svg+xml": svg(self)}


def figure(title: str, look: Look, *, height: int = 340) -> go.Figure:
    """Return an empty figure in our template; `title` is ours, or was made safe by the caller."""
    made = Chart()
    made.update_layout(
        template=template(look),
        title={"text": title},
        height=height,
        margin={"l": 8, "r": 16, "t": 56, "b": 8},
        legend={"orientation": "h", "yref": "container", "yanchor": "bottom", "y": 0, "x": 0, "traceorder": "normal"},
        hovermode="closest",
        meta={"alt": title},
        separators=".,",
    )
    return made


def month_axis(made: go.Figure, months: int) -> None:
    """Label a time axis by month: each of a few, else as many as fit (plotly would label weeks of a few months)."""
    made.update_xaxes(type="date", tickformat="%b<br>%Y", tickangle=0, dtick="M1" if months <= 6 else None)
    made.update_layout(bargap=max(0.2, 1 - months / 6))


def whisker(below: float, above: float, look: Look) -> go.bar.ErrorX:
    """Return plotly's error bar from `below` less to `above` more than a value."""
    return go.bar.ErrorX(
        type="data", symmetric=False, array=[above], arrayminus=[below], color=look.text, thickness=2, width=10
    )


def safe(text: object, *, length: int = LABEL_LENGTH) -> str:
    """Return text from outside as plotly may draw it: pseudo HTML escaped, control and direction marks as signs."""
    return html.escape(with_signs(str(text).strip(), length=length), quote=False)


def unescaped(label: str) -> str:
    """Return a label of a chart, made by `safe`, as the text it shows."""
    return html.unescape(label)


def wrapped(text: str, *, width: int = 24, most: int = 2) -> str:
    """Return `text` as an axis label of a few short lines, so that bars keep their room on a phone."""
    return "<br>".join(safe(line) for line in textwrap.wrap(text, width, max_lines=most, placeholder=" …"))


def words(code: object) -> str:
    """Return a service's code in plain words: `FINAL_SUBSTITUTE` is "Final substitute"; other text stays as it is."""
    text = str(code)
    if text.upper() == text or "_" in text:
        text = text.replace("_", " ").strip().capitalize()
    return text


def aud(amount: Decimal | float | int, *, cents: bool = True) -> str:
    """Word an amount: `$1,234.50`, `−$12.30`."""
    text = f"{amount:z,.{2 if cents else 0}f}"
    return f"−${text[1:]}" if text.startswith("-") else f"${text}"


def kwh(energy: float, unit: str = "kWh") -> str:
    """Word an energy: `1,234 kWh`, `12.3 kWh`; one that would read as 0.0 is `under 0.1 kWh`."""
    if 0 < energy < 0.05:
        return f"under 0.1 {unit}"
    decimals = 0 if abs(energy) >= 100 else 1
    return f"{energy:z,.{decimals}f} {unit}"


def unit_price(price: str | None, unit: str) -> str:
    """Return a price in AUD as bills print it: of a kWh or MJ in cents, else in dollars, with two to four decimals."""
    if price is None:
        return ""
    in_cents = unit.casefold() in ("kwh", "mj")
    amount = Decimal(price).scaleb(2 if in_cents else 0)
    whole, _, decimals = f"{abs(amount):,.4f}".partition(".")
    shown = f"{whole}.{decimals.rstrip('0'):0<2}"
    return ("−" if amount < 0 else "") + (f"{shown} c" if in_cents else f"${shown}")


def time_of_day(minute: int) -> str:
    """Word a minute of the day: `15:30`."""
    return f"{minute // 60:02d}:{minute % 60:02d}"


def day(value: date) -> str:
    """Word a day: `3 Aug 2026`."""
    return f"{value.day} {value:%b %Y}"  # `%-d`, a day without a leading zero, fails on Windows


def described(made: go.Figure, parts: Mapping[str, str] | Sequence[tuple[str, str]]) -> go.Figure:
    """Give a figure its text alternative for screen readers: the title and up to a dozen values.

    Names are labels as drawn: those that come from outside are made by `safe`.
    """
    pairs = list(parts.items() if isinstance(parts, Mapping) else parts)
    values = "; ".join(f"{with_signs(html.unescape(name), length=LABEL_LENGTH)}: {value}" for name, value in pairs[:12])
    rest = f"; and {len(pairs) - 12} more" if len(pairs) > 12 else ""
    made.update_layout(meta={"alt": f"{html.unescape(made.layout.title.text)}. {values}{rest}."})
    return made


def about(made: go.Figure, subject: str) -> go.Figure:
    """Begin the title and the text alternative of a figure with its subject, such as the meter of several."""
    title, words = str(made.layout.title.text), alt(made)
    made.update_layout(title={"text": f"{safe(subject)}: {title[:1].lower()}{title[1:]}"})
    made.update_layout(meta={"alt": f"{with_signs(subject, length=LABEL_LENGTH)}: {words[:1].lower()}{words[1:]}"})
    return made


def alt(made: go.Figure) -> str:
    """Return what a screen reader reads in place of the figure."""
    return str(made.layout.meta["alt"])
