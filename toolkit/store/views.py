"""What people who open the database with other tools read: views, and Datasette's descriptions.

The views are plain SQL without functions of ours, so that any SQLite program can use them.
"""

from __future__ import annotations

from datetime import timedelta
from typing import NamedTuple, TypedDict

from toolkit.tables.schema import STORED, Table, table
from toolkit.units import AEST_OFFSET, NANO_DECIMALS

_NANO = f"1e{NANO_DECIMALS}"
_TO_AEST, _TO_UTC = (f"'{sign}{AEST_OFFSET // timedelta(hours=1)} hours'" for sign in "+-")


class View(NamedTuple):
    """A view. columns: name → meaning, with the unit in brackets; its query gives them in this order."""

    meaning: str
    columns: dict[str, str]
    query: str


def _of(name: str, *columns: str) -> dict[str, str]:
    """Return columns that a view takes over from a table as they are."""
    return {column: _meaning(table(name), column) for column in columns}


def _meaning(table: Table, name: str) -> str:
    column = table[name]
    return column.meaning + (f" [{column.unit}]" if column.unit else "")


_REGISTER = _of(
    "register_days", "household_id", "service_point_id", "meter_id", "register_suffix", "direction", "controlled_load"
)
_FIRST_DAY, _LAST_DAY = "0001-01-01", "9999-12-31"
_PLAN_PERIOD = {
    **_of("account_plans", "household_id"),
    "service_point_id": "service point that the plan supplies",
    "fuel": "ELECTRICITY or GAS",
    "account_id": "energy account; null: the plan that a person named",
    **_of("account_plans", "plan_id"),
    "version": "content hash of its version, in table `plans`",
    **_of("plans", "name", "retailer"),
    "valid_from": f"first day, inclusive; {_FIRST_DAY}: whatever came before",
    "valid_to": f"last day, inclusive; {_LAST_DAY}: no end is known",
    "is_known": "whether its prices are known for these days; else it is the nearest plan that is stored",
}

# A value is little-endian: byte by byte, each from its two hexadecimal digits; what is behind a short value counts 0.
_DIGIT = "(instr('0123456789ABCDEF', substr(digits, {place}, 1)) - 1 << {bits})"
_INTEGER = " + ".join(
    _DIGIT.format(place=2 * byte + 1 + low, bits=8 * byte + (0 if low else 4)) for byte in range(8) for low in (0, 1)
)
_INTERVAL_READS = f"""
WITH packed AS (
    SELECT days.*, places.key AS place, hex(substr(reads, places.key * width + 1, width)) AS digits,
           CAST('1' || substr('000000000', 1, abs(9 - exponent)) AS INTEGER) AS scale
    FROM register_days AS days
    JOIN json_each('[0' || replace(hex(zeroblob(intervals - 1)), '00', ',0') || ']') AS places  -- one for each interval
),
scaled AS (
    SELECT *, {_INTEGER} AS whole, CASE WHEN qualities IS NULL THEN 'ACTUAL' ELSE coalesce((
        SELECT json_extract(run.value, '$[2]') FROM json_each(qualities) AS run
        WHERE place + 1 BETWEEN json_extract(run.value, '$[0]') AND json_extract(run.value, '$[1]')
        ORDER BY run.key DESC LIMIT 1), 'ACTUAL') END AS quality
    FROM packed
),
counted AS (
    SELECT *, CASE
        WHEN quality = 'MISSING' THEN NULL
        WHEN exponent <= 9 THEN whole * scale
        -- more than nine decimals: rounded half to even
        ELSE whole / scale + (2 * (whole % scale) > scale
             OR (2 * (whole % scale) = scale AND whole / scale % 2 = 1)) END AS energy_nano
    FROM scaled
)
SELECT household_id, service_point_id, meter_id, register_suffix, direction, controlled_load, unit, date,
       interval_minutes, strftime('%Y-%m-%dT%H:%M:%SZ', date, {_TO_UTC}, (place * interval_minutes) || ' minutes')
       AS starts_at, energy_nano, energy_nano / {_NANO} AS energy, quality
FROM counted"""  # noqa: S608  made of constants

_PLAN_PERIODS = f"""
WITH points AS (
    SELECT DISTINCT household_id, service_point_id, coalesce(national_metering_id, service_point_id) AS number,
                    CASE WHEN upper(fuel) = 'GAS' THEN 'GAS' ELSE 'ELECTRICITY' END AS fuel
    FROM service_points WHERE vanished_at IS NULL
),
dated_plans AS (  -- the day from which a version's prices hold (AEST)
    SELECT household_id, plan_id, version, name, retailer, fuel_type, sequence, source, last_updated,
           CASE WHEN effective_from LIKE '%Z' OR effective_from GLOB '*T*[+-]??:??'
                THEN date(effective_from, {_TO_AEST}) ELSE date(effective_from) END AS prices_from
    FROM plans
),
-- Plans of accounts, by the rule of analytics/energy/plans/in_force.py.
given AS (
    SELECT points.household_id, points.service_point_id, fuel, account_id, plan_id, version, name, retailer,
           prices_from, start_date, end_date, is_current, date(sequence, 'unixepoch') AS seen,
           min(date(sequence, 'unixepoch')) OVER (
               PARTITION BY points.household_id, points.service_point_id) AS first_seen
    FROM points JOIN account_plans USING (household_id) JOIN dated_plans USING (household_id, plan_id, version)
    WHERE (coalesce(service_point_ids, '[]') = '[]' OR EXISTS (
               SELECT 1 FROM json_each(service_point_ids) WHERE value IN (points.service_point_id, points.number)))
      AND coalesce(fuel_type, 'DUAL') IN (fuel, 'DUAL')
),
begun AS (
    SELECT *, coalesce(start_date, CASE WHEN seen > first_seen THEN seen ELSE '{_FIRST_DAY}' END) AS start,
           coalesce(end_date, '{_LAST_DAY}') AS last
    FROM given
),
versions AS (  -- without those that the retailer withdrew
    SELECT *, max(CASE WHEN start = '{_FIRST_DAY}' THEN seen ELSE start END, coalesce(prices_from, '{_FIRST_DAY}'))
           AS known_from
    FROM begun AS own
    WHERE is_current OR NOT EXISTS (
        SELECT 1 FROM begun AS other
        WHERE other.household_id = own.household_id AND other.service_point_id = own.service_point_id
          AND other.is_current AND other.seen > own.seen AND other.start < own.start AND other.last >= own.start)
),
cuts AS (  -- days on which another version may come into force
    SELECT household_id, service_point_id, '{_FIRST_DAY}' AS day FROM versions
    UNION SELECT household_id, service_point_id, start FROM versions
    UNION SELECT household_id, service_point_id, date(last, '+1 day') FROM versions WHERE last < '{_LAST_DAY}'
    UNION SELECT household_id, service_point_id, seen FROM versions
    UNION SELECT household_id, service_point_id, known_from FROM versions
),
ranked AS (
    SELECT cuts.day, versions.*, start <= day AND day <= last AND known_from <= day AS is_known,
           row_number() OVER (
               PARTITION BY household_id, service_point_id, day
               ORDER BY start <= day AND day <= last DESC,
                        CASE WHEN start <= day THEN julianday(start) ELSE -julianday(start) END DESC,
                        CASE WHEN seen <= day THEN julianday(seen) ELSE -julianday(seen) END DESC,
                        is_current DESC, account_id, plan_id, version) AS place
    FROM cuts JOIN versions USING (household_id, service_point_id)
),
-- Plans that a person named, where no account shows any.
named AS (
    SELECT household_id, plan_id, plan_since AS since, 0 AS place FROM households WHERE plan_id IS NOT NULL
    UNION ALL
    SELECT household_id, json_extract(value, '$.plan_id'), json_extract(value, '$.since'), key + 1
    FROM households, json_each(other_plans)
),
of_person AS (
    SELECT named.household_id, service_point_id, points.fuel, named.plan_id, version, name, retailer, prices_from,
           since, named.place, sequence, CASE WHEN source = 'register' THEN
               -- what the plan register gives now counts, though it be dated before what it gave earlier
               min(CASE WHEN source = 'register' THEN coalesce(last_updated, '') END) OVER (
                   PARTITION BY named.household_id, service_point_id, named.place, named.plan_id ORDER BY sequence DESC)
               ELSE coalesce(last_updated, '') END AS updated
    FROM named JOIN points USING (household_id)
    JOIN dated_plans ON dated_plans.plan_id = named.plan_id AND dated_plans.household_id IN ('', named.household_id)
    WHERE coalesce(fuel_type, 'DUAL') IN (points.fuel, 'DUAL')
      AND NOT EXISTS (SELECT 1 FROM versions WHERE versions.household_id = named.household_id
                      AND versions.service_point_id = points.service_point_id)
),
newest_first AS (
    SELECT *, row_number() OVER (
               PARTITION BY household_id, service_point_id, place, coalesce(prices_from, '{_FIRST_DAY}')
               ORDER BY updated DESC, sequence DESC) AS of_day,
           first_value(prices_from) OVER (
               PARTITION BY household_id, service_point_id, place ORDER BY updated DESC, sequence DESC) AS newest_from,
           row_number() OVER (
               PARTITION BY household_id, service_point_id, place ORDER BY updated DESC, sequence DESC) AS newest
    FROM of_person
),
dated AS (  -- one version for each first day; the newest alone where it has none
    SELECT *, coalesce(since, '{_FIRST_DAY}') AS plan_from, coalesce(prices_from, '{_FIRST_DAY}') AS version_from
    FROM newest_first WHERE CASE WHEN newest_from IS NULL THEN newest = 1 ELSE of_day = 1 END
),
plan_days AS (
    SELECT household_id, service_point_id, place,
           CASE row_number() OVER own WHEN 1 THEN '{_FIRST_DAY}' ELSE plan_from END AS first,
           coalesce(date(lead(plan_from) OVER own, '-1 day'), '{_LAST_DAY}') AS last
    FROM (SELECT DISTINCT household_id, service_point_id, place, plan_from FROM dated)
    WINDOW own AS (PARTITION BY household_id, service_point_id ORDER BY plan_from, place)
),
version_days AS (
    SELECT *, CASE row_number() OVER own WHEN 1 THEN '{_FIRST_DAY}' ELSE version_from END AS version_first,
           coalesce(date(lead(version_from) OVER own, '-1 day'), '{_LAST_DAY}') AS version_last
    FROM dated WINDOW own AS (PARTITION BY household_id, service_point_id, place ORDER BY version_from)
),
of_named AS (
    SELECT household_id, service_point_id, fuel, NULL AS account_id, plan_id, version, name, retailer,
           max(first, version_first) AS first, min(last, version_last) AS last, since,
           max(since, coalesce(prices_from, since)) AS known_from
    FROM version_days JOIN plan_days USING (household_id, service_point_id, place)
    WHERE max(first, version_first) <= min(last, version_last)
),
each_day AS (
    SELECT household_id, service_point_id, fuel, account_id, plan_id, version, name, retailer, is_known, day
    FROM ranked WHERE place = 1
    UNION ALL
    SELECT household_id, service_point_id, fuel, account_id, plan_id, version, name, retailer,
           coalesce(known_from <= first, 0), first FROM of_named
    UNION ALL
    SELECT household_id, service_point_id, fuel, account_id, plan_id, version, name, retailer, 1, known_from
    FROM of_named WHERE known_from > first AND known_from <= last
),
changed AS (
    SELECT *, lag(version || plan_id || coalesce(account_id, '') || is_known) OVER own
              IS NOT version || plan_id || coalesce(account_id, '') || is_known AS begins
    FROM each_day WINDOW own AS (PARTITION BY household_id, service_point_id ORDER BY day)
)
SELECT household_id, service_point_id, fuel, account_id, plan_id, version, name, retailer, day AS valid_from,
       coalesce(date(lead(day) OVER (PARTITION BY household_id, service_point_id ORDER BY day), '-1 day'),
                '{_LAST_DAY}') AS valid_to, is_known
FROM changed WHERE begins"""  # noqa: S608  made of constants

VIEWS: dict[str, View] = {
    "interval_reads": View(
        "Interval reads, a row for each: table `register_days` unpacked. Name a service point or days: a "
        "million rows take about ten seconds.",
        {
            **_REGISTER,
            "unit": "KWH, MJ, KVARH …",
            "date": "meter day (AEST)",
            **_of("register_days", "interval_minutes"),
            "starts_at": "start of the interval, inclusive [UTC]",
            "energy_nano": "exact energy, ≥ 0; null where flagged missing [10^-9 of unit]",
            "energy": "the same in the row's unit",
            "quality": "ACTUAL, SUBSTITUTE, FINAL_SUBSTITUTE, ESTIMATED, MISSING, or another word of the service",
        },
        _INTERVAL_READS,
    ),
    "daily_energy": View(
        "Energy by register and meter day.",
        {
            **_REGISTER,
            "date": "meter day (AEST)",
            "energy": "energy of the day, in the row's unit",
            "unit": "KWH, MJ, KVARH …",
            **_of("register_days", "interval_minutes"),
            "coverage": "share of values that are not flagged missing, 0 to 1",
        },
        f"""SELECT household_id, service_point_id, meter_id, register_suffix, direction, controlled_load, date,
                  total_nano / {_NANO} AS energy, unit, interval_minutes, round(1.0 * present / intervals, 4) AS coverage
           FROM register_days""",  # noqa: E501, S608  made of constants
    ),
    "daily_energy_by_service_point": View(
        "Import, controlled load and export of a service point by meter day.",
        {
            **_of("register_days", "household_id", "service_point_id"),
            "date": "meter day (AEST)",
            "unit": "KWH, or MJ for gas",
            "import": "energy taken, controlled load included, in the row's unit",
            "controlled_load": "controlled load in it, in the row's unit",
            "export": "energy given to the network, in the row's unit",
        },
        f"""SELECT household_id, service_point_id, date, unit,
                  sum(CASE WHEN direction = 'import' THEN total_nano END) / {_NANO} AS import,
                  sum(CASE WHEN direction = 'import' AND controlled_load THEN total_nano END) / {_NANO} AS controlled_load,
                  sum(CASE WHEN direction = 'export' THEN total_nano END) / {_NANO} AS export
           FROM register_days WHERE direction IN ('import', 'export')
           GROUP BY household_id, service_point_id, date, unit""",  # noqa: E501, S608  made of constants
    ),
    "posted_transactions": View(
        "Posted transactions of every account, those that a linked account has too among them.",
        {
            **_of("transactions", "household_id", "account_id"),
            "day_written": "date of the first of execution, posting and value time, as written",
            "amount": "amount, money out negative [currency]",
            **_of("transactions", "currency", "description", "merchant_name"),
            **_of("transactions", "primary_category", "secondary_category", "id"),
        },
        """SELECT household_id, account_id,
                  substr(coalesce(execution_date_time, posting_date_time, value_date_time), 1, 10) AS day_written,
                  amount_minor / 100.0 AS amount, currency, description, merchant_name, primary_category,
                  secondary_category, id
           FROM transactions WHERE status = 'POSTED' AND vanished_at IS NULL""",
    ),
    "monthly_spending": View(
        "Spending by month and category, as `toolkit spending --months` adds it up.",
        {
            **_of("spending_months", "household_id", "month", "primary_category", "secondary_category", "currency"),
            "spent": "money out less refunds [currency]",
            "transactions": "rows",
        },
        """SELECT household_id, month, primary_category, secondary_category, currency,
                  -sum(amount_minor) / 100.0 AS spent, sum(count) AS transactions
           FROM spending_months WHERE kind = 'expense' AND NOT pending
           GROUP BY household_id, month, primary_category, secondary_category, currency""",
    ),
    "plan_periods": View(
        "Which plan a service point was on, from when to when, by the rule that bills are priced by. Of a day: "
        "`WHERE '2026-05-01' BETWEEN valid_from AND valid_to`.",
        _PLAN_PERIOD,
        _PLAN_PERIODS,
    ),
    "current_plans": View(
        "The plan that each service point is on today.",
        _PLAN_PERIOD,
        "SELECT * FROM plan_periods WHERE date('now', 'localtime') BETWEEN valid_from AND valid_to",
    ),
}


class _Description(TypedDict, total=False):
    """What Datasette shows of a table or view; `fts_…`: its full-text index."""

    description: str
    columns: dict[str, str]
    fts_table: str
    fts_pk: str
    hidden: bool


class _Database(TypedDict):
    tables: dict[str, _Description]


class DatasetteMetadata(TypedDict):
    """Content of a Datasette metadata file."""

    title: str
    description: str
    databases: dict[str, _Database]


def datasette_metadata(database: str) -> DatasetteMetadata:
    """Return the content of a metadata file. database: its file name without `.db`."""
    tables = {table.name: _described(table) for table in STORED}
    views: dict[str, _Description] = {
        name: {"description": view.meaning, "columns": view.columns} for name, view in VIEWS.items()
    }
    return {
        "title": "Household money and energy",
        "description": "Money is minor units (`…_minor`) of the row's currency; meter days are AEST; instants are UTC.",
        "databases": {database: {"tables": {**tables, **views}}},
    }


def _described(table: Table) -> _Description:
    columns = {column.name: _meaning(table, column.name) for column in table.columns}
    described: _Description = {"description": table.meaning, "columns": columns}
    if table.search:
        described.update({"fts_table": f"{table.name}_fts", "fts_pk": "row_id"})
    if table.internal:
        described["hidden"] = True
    return described
