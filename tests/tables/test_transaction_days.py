"""The local day of a movement, from date-times as banks write them."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.analytics.money.built import movement, transactions
from toolkit.tables.transaction_days import DATE_TIMES, days_of, latest_day, may_be_dated, with_days

SYDNEY = "Australia/Sydney"


def day_of(execution: str | None, posting: str | None = None, value: str | None = None, zone: str = SYDNEY):
    times = {"execution_date_time": execution, "posting_date_time": posting, "value_date_time": value}
    return with_days(transactions({**movement("-1.00"), **times}).lazy(), zone).collect()["day"].item()


@pytest.mark.parametrize(
    ("written", "sydney", "perth"),
    [
        ("2024-06-30T14:00:00Z", date(2024, 7, 1), date(2024, 6, 30)),  # midnight in Sydney, but written as a UTC time
        ("2024-06-30T13:59:59.999Z", date(2024, 6, 30), date(2024, 6, 30)),
        ("2024-06-30T00:00:00Z", date(2024, 6, 30), date(2024, 6, 30)),  # a date without a time
        ("2024-07-01T00:00:00+10:00", date(2024, 7, 1), date(2024, 7, 1)),
        ("2024-07-01T00:00:00.000+10:00", date(2024, 7, 1), date(2024, 7, 1)),
        ("2024-07-01T00:00:00.001+10:00", date(2024, 7, 1), date(2024, 6, 30)),
        ("2024-07-01", date(2024, 7, 1), date(2024, 7, 1)),
        ("2024-07-01T23:59:59", date(2024, 7, 1), date(2024, 7, 1)),  # no offset: local already
        ("2024-06-30 23:30", date(2024, 6, 30), date(2024, 6, 30)),
        ("2024-06-30T23:30:00-0500", date(2024, 7, 1), date(2024, 7, 1)),
        ("2024-06-30T23:30:00+08", date(2024, 7, 1), date(2024, 6, 30)),
        (" 2024-10-05t15:59:00z ", date(2024, 10, 6), date(2024, 10, 5)),  # the night daylight saving begins
        ("2025-04-05T13:30:00Z", date(2025, 4, 6), date(2025, 4, 5)),  # and the night it ends: still UTC+11
        ("2025-04-06T13:30:00Z", date(2025, 4, 6), date(2025, 4, 6)),  # a day later: UTC+10
    ],
)
def test_a_time_is_read_in_the_zone_and_midnight_is_a_date(written: str, sydney: date, perth: date) -> None:
    assert day_of(written) == sydney
    assert day_of(written, zone="Australia/Perth") == perth


@pytest.mark.parametrize(
    "unreadable", ["", "yesterday", "2024-13-01", "2024-02-30", "01/03/2024", "2024-03-01T25:00:00Z", None]
)
def test_what_is_no_date_is_null(unreadable: str | None) -> None:
    assert day_of(unreadable) is None


def test_execution_counts_before_posting_before_value() -> None:
    assert day_of("2026-03-01", "2026-03-02", "2026-03-03") == date(2026, 3, 1)
    assert day_of(None, "2026-03-02", "2026-03-03") == date(2026, 3, 2)
    assert day_of("soon", None, "2026-03-03") == date(2026, 3, 3)


@given(
    moment=st.integers(1_000_000_000, 2_000_000_000).map(lambda second: datetime.fromtimestamp(second, UTC)),
    zone=st.sampled_from([SYDNEY, "Australia/Perth", "Australia/Adelaide", "Australia/Lord_Howe"]),
    written_in=st.sampled_from(["UTC", SYDNEY, "Australia/Darwin"]),
)
def test_agrees_with_python_at_every_time_but_midnight(moment: datetime, zone: str, written_in: str) -> None:
    local = moment.astimezone(ZoneInfo(written_in))
    is_date = (local.hour, local.minute, local.second) == (0, 0, 0)
    expected = local.date() if is_date else moment.astimezone(ZoneInfo(zone)).date()
    assert day_of(local.isoformat(), zone=zone) == expected


def test_rows_as_mappings_get_the_same_dates_and_the_latest_is_found() -> None:
    rows = [
        {"execution_date_time": "2026-03-31T13:30:00Z", "posting_date_time": "2026-03-30T00:00:00Z"},  # 1 April, 00:30
        {"execution_date_time": None, "posting_date_time": None, "value_date_time": "2026-02-01T00:00:00Z"},
        {"posting_date_time": "soon"},
    ]
    assert days_of(rows, SYDNEY) == [date(2026, 4, 1), date(2026, 2, 1), None]
    assert latest_day(rows, SYDNEY) == date(2026, 4, 1)
    assert latest_day(rows[2:], SYDNEY) is None
    assert (days_of([], SYDNEY), latest_day([], SYDNEY)) == ([], None)


@example([datetime(2024, 6, 30, 14, tzinfo=UTC)], SYDNEY)  # midnight in Sydney
@example([datetime(2024, 6, 30, tzinfo=UTC)], SYDNEY)  # a date without a time
@example([datetime(2050, 1, 1, 13, 30, tzinfo=UTC)], SYDNEY)
@given(
    st.lists(st.builds(datetime.fromtimestamp, st.integers(-5_364_662_400, 4_102_444_800), st.just(UTC)), min_size=1),
    st.sampled_from([SYDNEY, "Australia/Perth", "Australia/Adelaide", "Australia/Lord_Howe"]),
)
def test_the_latest_day_is_the_latest_of_the_days(instants: list[datetime], zone: str) -> None:
    """As the service writes them, the days are known without a frame: they are those of the frame."""
    rows = [{"execution_date_time": f"{instant:%Y-%m-%dT%H:%M:%SZ}"} for instant in instants]
    assert latest_day(rows, zone) == max(day for day in days_of(rows, zone) if day is not None)


WRITTEN = st.one_of(
    st.integers(0, 34_000_000)
    .map(lambda seconds: (datetime(2023, 12, 1, tzinfo=UTC) + timedelta(seconds=seconds)).replace(tzinfo=None))
    .flatmap(
        lambda at: st.sampled_from(
            [at.isoformat(), f"{at:%Y-%m-%d}", f" {at:%Y-%m-%d}", f"\t{at.isoformat()}Z"]
            + [at.replace(tzinfo=timezone(timedelta(hours=hours))).isoformat() for hours in (-12, -5, 0, 8, 11, 14)]
        )
    ),
    st.none(),
)


@given(
    st.lists(st.tuples(WRITTEN, WRITTEN, WRITTEN), min_size=1, max_size=8),
    st.lists(st.tuples(st.dates(date(2023, 12, 1), date(2024, 12, 31)), st.integers(0, 40)), min_size=1, max_size=3),
    st.sampled_from([SYDNEY, "Australia/Perth"]),
)
def test_every_row_of_some_days_meets_the_condition_on_its_text(
    rows: list[tuple[str | None, ...]], spans: list[tuple[date, int]], zone: str
) -> None:
    wanted = [(first, first + timedelta(days)) for first, days in spans]
    conditions = [each for condition in may_be_dated(wanted) for each in condition.items()]
    records = [dict(zip(DATE_TIMES, row, strict=True)) for row in rows]
    for record, day in zip(records, days_of(records, zone), strict=True):
        if day and any(first <= day <= last for first, last in wanted):
            assert any(low <= (record[name] or "") <= high for name, (_, low, high) in conditions if record[name])


def test_rows_of_other_days_need_not_be_read() -> None:
    [only, *_] = may_be_dated([(date(2024, 7, 1), date(2024, 7, 31))])
    [(_, low, high)] = only.values()
    assert not low <= "2024-06-29T23:59:59Z" <= high
    assert low <= "2024-06-30T14:00:00Z" <= high
    assert not low <= "2024-08-02T10:00:00Z" <= high
