"""Small NEM12 files, written by what matters in them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import Any


def nem12(*rows: str) -> str:
    return "\n".join(["100,NEM12,202401010000,MDP,RET", *rows, "900\n"])


def register(suffix: str = "E1", minutes: int = 30, unit: str = "KWH", *, nmi: str = "4103000001") -> str:
    return f"200,{nmi},E1,1,{suffix},N1,M1,{unit},{minutes},"


def day(when: str, values: Sequence[float | str], flag: str = "A", updated: str = "20250105000000") -> str:
    return f"300,{when},{','.join(map(str, values))},{flag},,,{updated},"


def days(first: str, count: int) -> Iterable[str]:
    start = date.fromisoformat(first)
    return ((start + timedelta(n)).strftime("%Y%m%d") for n in range(count))


def level(nmi: str, first: date, count: int, kwh: str = "0.25", suffix: str = "E1", **more: str) -> str:
    """A file with `kwh` in every half hour of `count` days from `first`."""
    return nem12(register(suffix, nmi=nmi), *(day(when, [kwh] * 48, **more) for when in days(str(first), count)))


def flat_plan(price: str = "0.30", supply: str = "1.00", **more: Any) -> str:
    """One rate, in the public register's shape; prices without GST."""
    period = {
        "startDate": "01-01",
        "endDate": "12-31",
        "dailySupplyCharge": supply,
        "rateBlockUType": "singleRate",
        "singleRate": {"rates": [{"unitPrice": price}]},
    }
    contract = {"pricingModel": "SINGLE_RATE", "timeZone": "AEST", "tariffPeriod": [period], **more}
    return json.dumps({"planId": "FLAT@EME", "fuelType": "ELECTRICITY", "electricityContract": contract})
