"""`compare` shows what the household can have, says what it leaves out, and how old its prices are."""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import Ended, Run, command_line
from tests.meters import day as meter_day
from tests.meters import days, level, nem12, register
from tests.problems import names

AUSGRID, NOWHERE, CITIPOWER = "4103000001", "NZZZ000001", "6102000001"
FIRST, TODAY = date(2025, 3, 1), "2026-03-05"


def plan(plan_id: str, price: str, *networks: str, **more: Any) -> dict[str, Any]:
    """$1.10 a day and one price a kWh, GST not included in it; offered at postcode 2000."""
    single = {"dailySupplyCharge": "1.00", "singleRate": {"rates": [{"unitPrice": price}]}}
    contract = {"tariffPeriod": [single], **more.pop("contract", {})}
    place = {"distributors": list(networks), "includedPostcodes": more.pop("postcodes", ["2000", "2010"])}
    named = {"displayName": f"Plan {plan_id}", "fuelType": "ELECTRICITY", "customerType": "RESIDENTIAL"}
    dated = {"lastUpdated": "2026-02-01T03:00:00Z", "type": "MARKET"}
    return {"planId": plan_id, **named, **dated, "geography": place, "electricityContract": contract, **more}


ENDED = {"effectiveTo": "2026-01-31T13:00:00Z"}
MARKET = [
    plan("OWN", "0.40", "Ausgrid"),
    plan("BEST", "0.30", "Ausgrid"),
    plan("ENDED", "0.10", "Ausgrid", **ENDED),
    plan("BUSINESS", "0.11", "Ausgrid", customerType="BUSINESS"),
    plan("FAR", "0.12", "Ausgrid", postcodes=["2300"]),
    plan("SOLAR", "0.13", "Ausgrid", displayName="Solar Saver"),
    plan("PANELS", "0.14", "Ausgrid", contract={"eligibility": [{"type": "EXISTING_SOLAR"}]}),
    plan("LOAD", "0.15", "Ausgrid", displayName="Anytime with Controlled Load"),
    plan("ENERGEX", "0.16", "Energex"),
    plan("ENERGEX-ENDED", "0.17", "Energex", **ENDED),
]


CLOSED = (
    ("Offer available to SA concession card holder only.", "concession card"),
    ("You're a Westpac customer", "another company"),
    ("Available to Rent.com.au customers where AGL operates and remain on plan", "another company"),
    ("Offer only available to registered Everyday Rewards membership at the time of sign-up.", "loyalty"),
    ("Available to Victorian customers with valid RACV member number in your name.", "organisation"),
    ("You must purchase an eligible battery from Origin.", "equipment from a certain supplier"),
    ("Offer only available when signing up through One Big Switch.", "third party"),
    ("Offer only available through Muval.", "third party"),
    ("Offer is available by invite only to residential customers", "invitation"),
    ("Offer only available by signing up with an authorised AGL representative.", "representatives"),
    ("This contingent product is for VIC Residential customers.", "together with another plan"),
    ("This plan is only available to customers already on this plan", "customers of the retailer"),
)
"""Texts of eligibility, and words of what is said of them."""
OPEN = (
    "Offer only available to residential customers.",
    "Offer only available when signing up through website",
    "Available to Victorian residential customers only.",
    "Available to customers on eligible network tariffs.",
    "You must receive bills and other account related communications via your nominated email address",
    "You're a residential customer",
    "Available to new AGL and move-in customers that sign-up online directly with AGL via agl.com.au",
)


def with_text(plan_id: str, text: str) -> dict[str, Any]:
    """A plan at half the price of `OWN`, with a condition that only a text states."""
    return plan(plan_id, "0.20", "Ausgrid", contract={"eligibility": [{"type": "OTHER", "information": text}]})


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.setenv("TOOLKIT_DB", str(tmp_path / "home.db"))
    return command_line(monkeypatch, capsys)


def stored(call: Run, folder: Path, *plans: dict[str, Any], nmi: str = NOWHERE, count: int = 365, **more: str) -> None:
    """12 kWh a day for so many days up to 28 February 2026, and these plans."""
    meter, market = folder / f"{nmi}.csv", folder / "plans.json"
    meter.write_text(level(nmi, FIRST + timedelta(365 - count), count, **more))
    market.write_text(json.dumps(plans))
    assert call("import", meter).code == 0
    assert call("import", market).code == 0


def compared(call: Run, *more: object, today: str = TODAY) -> dict[str, Any]:
    ended = call("compare", "--today", today, "--json", *more)
    assert ended.code == 0, ended.err
    return ended.json


def ids(answer: dict[str, Any]) -> list[str]:
    return [row["plan_id"] for row in answer["plans"]]


def left_out(answer: dict[str, Any]) -> tuple[int, int, int]:
    return answer["expired"], answer["not_here"], answer["other_networks"]


class TestWhatIsLeftOut:
    def test_each_plan_once_in_the_order_of_the_counts(self, call: Run, tmp_path: Path) -> None:
        """The postcode and the network are known without being typed again."""
        stored(call, tmp_path, *MARKET)
        call("household", "set", "--postcode", "2000", "--network", "Ausgrid", "--plan", "OWN")
        answer = compared(call)
        assert ids(answer) == ["BEST", "OWN"]
        # ended: also the one of another network; not here: business, postcode, two for solar, controlled load
        assert left_out(answer) == (2, 5, 1)
        # 365 days × 12 kWh × 10 c × 1.1
        assert [(row["saving"], row["saving_days"]) for row in answer["plans"]] == [("481.80", 365), ("0.00", 365)]
        assert (answer["from"], answer["to"], answer["yearly"]) == ("2025-03-01", "2026-02-28", True)

    def test_what_the_home_has_by_its_settings_or_reads_opens_plans(self, call: Run, tmp_path: Path) -> None:
        stored(call, tmp_path, *MARKET)
        call("household", "set", "--postcode", "2000", "--network", "Ausgrid", "--panels-kw", "5")
        assert ids(compared(call)) == ["SOLAR", "PANELS", "BEST", "OWN"]
        load = tmp_path / "load.csv"
        load.write_text(
            nem12(register("E2", nmi=NOWHERE), *(meter_day(w, ["0.1"] * 48) for w in days("2025-03-01", 365)))
        )
        call("import", load, "--controlled-load", "E2")
        assert "LOAD" in ids(compared(call))

    def test_a_business_has_business_plans(self, call: Run, tmp_path: Path) -> None:
        stored(call, tmp_path, *MARKET)
        call("household", "set", "--postcode", "2000", "--customer", "business")
        assert ids(compared(call)) == ["BUSINESS"]

    def test_of_a_file_ended_plans_stay_marked_and_the_other_filters_hold(self, call: Run, tmp_path: Path) -> None:
        stored(call, tmp_path, *MARKET)
        call("household", "set", "--postcode", "2000", "--network", "Ausgrid")
        answer = compared(call, "--plans", tmp_path / "plans.json")
        assert ids(answer) == ["ENDED", "BEST", "OWN"]
        assert left_out(answer) == (0, 5, 2)
        assert answer["plans"][0]["ended"]
        (condition,) = answer["plans"][0]["conditions"]
        assert names(condition, "2026-01-31")
        assert answer["headline"]["plan_id"] == "BEST"

    @pytest.mark.parametrize("name", ["ENERGEX-ENDED@EME", "energex-ended@eme", "Energex-Ended"])
    def test_a_plan_named_by_its_id_is_always_priced_and_marked(self, call: Run, tmp_path: Path, name: str) -> None:
        stored(call, tmp_path, *MARKET[:3], plan("ENERGEX-ENDED@EME", "0.20", "Energex", postcodes=["4000"], **ENDED))
        call("household", "set", "--postcode", "2000", "--network", "Ausgrid", "--plan", "OWN")
        (row,) = compared(call, "--plans", name)["plans"]
        assert (row["plan_id"], row["saving"]) == ("ENERGEX-ENDED@EME", "963.60")  # 4380 kWh × 20 c × 1.1
        ended, place, network = row["conditions"]
        assert names(ended, "2026-01-31")
        assert names(place, "2000")
        assert names(network, "Energex", "Ausgrid")


class TestWhereTheHomeIs:
    def test_without_postcode_and_network_there_is_no_saving_and_what_is_missing_is_asked_for(
        self, call: Run, tmp_path: Path
    ) -> None:
        stored(call, tmp_path, *MARKET)
        call("household", "set", "--plan", "OWN")
        answer = compared(call)
        assert {row["saving"] for row in answer["plans"]} == {None}
        assert "place_missing" in answer["note_codes"]
        of_two = compared(call, "--postcode", "2000")
        # each row has its own, though only those of one network can be had
        assert None not in {row["saving"] for row in of_two["plans"]}
        assert of_two["open_networks"] == ["Ausgrid", "Energex"]
        assert "network_missing" in of_two["note_codes"]
        here = compared(call, "--postcode", "2000", "--network", "Ausgrid")
        # BEST against OWN: 4380 kWh at 11 c less with GST
        assert ({row["plan_id"]: row["saving"] for row in here["plans"]}["BEST"], here["open_networks"]) == (
            "481.80",
            [],
        )

    def test_the_meters_number_tells_the_network(self, call: Run, tmp_path: Path) -> None:
        stored(call, tmp_path, *MARKET, nmi=AUSGRID)
        call("household", "set", "--plan", "OWN")
        answer = compared(call)
        assert (answer["network"], answer["other_networks"]) == ("Ausgrid", 1)
        assert answer["plans"][0]["saving"] is not None

    @pytest.mark.parametrize("command", [("compare", "--network"), ("household", "set", "--network")])
    def test_an_unknown_network_is_refused_with_the_nearest(
        self, call: Run, tmp_path: Path, command: tuple[str, ...]
    ) -> None:
        stored(call, tmp_path, *MARKET)
        for wanted, nearest in (("Citypower", "Citipower"), ("Ausgird", "Ausgrid"), ("Energx", "Energex")):
            refused = call(*command, wanted)
            assert refused.code == 2
            assert names(refused.err, repr(wanted), nearest)
        assert call(*command, "CitiPower").code == 0

    @pytest.mark.parametrize("postcode", ["2000", "5000"])
    def test_a_postcode_that_contradicts_the_meters_network_is_said(
        self, call: Run, tmp_path: Path, postcode: str
    ) -> None:
        """Plans name 2000, for Ausgrid; no plan names 5000, which is in South Australia."""
        stored(call, tmp_path, *MARKET, nmi=CITIPOWER)
        call("household", "set", "--postcode", postcode)
        answer = compared(call)
        assert "postcode_mismatch" in answer["note_codes"]
        assert any(names(note, "Citipower", "Ausgrid" if postcode == "2000" else "SA") for note in answer["notes"])

    @pytest.mark.parametrize(
        ("nmi", "settings", "code"),
        [
            (NOWHERE, ("--postcode", "6000"), "choice_in_wa"),
            (NOWHERE, ("--postcode", "0800"), "choice_in_nt"),
            (NOWHERE, ("--postcode", "7000"), "choice_in_tas"),
            (NOWHERE, ("--postcode", "4870"), "choice_in_regional_qld"),
            ("3050000001", (), "choice_in_regional_qld"),
            (NOWHERE, ("--postcode", "2000", "--embedded-network"), "embedded_network"),
        ],
    )
    def test_where_there_is_little_to_switch_to_it_is_said_and_the_rest_goes_on(
        self, call: Run, tmp_path: Path, nmi: str, settings: tuple[str, ...], code: str
    ) -> None:
        stored(call, tmp_path, *MARKET, nmi=nmi)
        call("household", "set", "--plan", "OWN", *settings)
        answer = compared(call)
        assert answer["note_codes"][0] == code
        assert answer["current"]["total"] == "2328.70"  # 365 × 1.10 + 4380 kWh × 44 c
        if "--embedded-network" in settings:
            assert {row["saving"] for row in answer["plans"]} == {None}

    @pytest.mark.parametrize("postcode", ["2000", "3000", "4000", "4575", "5000"])
    def test_elsewhere_nothing_is_said(self, call: Run, tmp_path: Path, postcode: str) -> None:
        stored(call, tmp_path, *MARKET)
        call("household", "set", "--postcode", postcode)
        codes = compared(call)["note_codes"]
        assert not [code for code in codes if code.startswith(("choice_in", "embedded"))]


class TestPricesAndDays:
    @pytest.mark.parametrize(("today", "warned"), [("2026-04-02", False), ("2026-04-03", True)])
    def test_the_date_of_the_prices_and_a_warning_after_sixty_days(
        self, call: Run, tmp_path: Path, today: str, warned: bool
    ) -> None:
        stored(
            call,
            tmp_path,
            plan("A", "0.40", "Ausgrid", lastUpdated="2025-07-01T00:00:00Z"),
            plan("B", "0.30", "Ausgrid"),
        )
        call("household", "set", "--postcode", "2000")
        answer = compared(call, today=today)
        assert answer["as_of"] == "2026-02-01"
        assert [row["as_of"] for row in answer["plans"]] == ["2026-02-01", "2025-07-01"]
        assert ("prices_old" in answer["note_codes"]) == warned

    @pytest.mark.parametrize(("count", "first", "span"), [(330, "2025-03-01", 365), (329, "2025-04-06", 329)])
    def test_a_year_needs_330_days_with_reads(
        self, call: Run, tmp_path: Path, count: int, first: str, span: int
    ) -> None:
        stored(call, tmp_path, *MARKET, count=count)
        call("household", "set", "--postcode", "2000", "--network", "Ausgrid", "--plan", "OWN")
        answer = compared(call)
        assert (answer["from"], answer["to"], answer["yearly"]) == (first, "2026-02-28", count == 330)
        assert answer["plans"][0]["saving_days"] == span

    def test_a_saving_of_asked_days_or_of_old_reads_is_not_called_yearly(self, call: Run, tmp_path: Path) -> None:
        stored(call, tmp_path, *MARKET)
        call("household", "set", "--postcode", "2000", "--network", "Ausgrid", "--plan", "OWN")
        assert names(call("compare", "--today", TODAY).out, "$481.80 a year")
        old = call("compare", "--today", "2026-08-01").out
        assert names(old, "$481.80", "365 days", "28 Feb 2026")
        assert not names(old, "a year")
        days_asked = compared(call, "--from", "2025-06-01", "--to", "2025-06-30")
        assert (days_asked["yearly"], days_asked["plans"][0]["saving_days"]) == (False, 30)
        assert days_asked["plans"][0]["saving"] == "39.60"  # 30 × 12 kWh × 11 c

    def test_the_range_of_savings_over_earlier_whole_years(self, call: Run, tmp_path: Path) -> None:
        """12 kWh a day in the last year; 24 in the year before, and 6 in the one before that."""
        stored(call, tmp_path, *MARKET)
        for number, kwh in (("one", "0.5"), ("two", "0.125")):
            first = date(2024, 3, 1) if number == "one" else date(2023, 3, 2)
            (tmp_path / f"{number}.csv").write_text(level(NOWHERE, first, 365, kwh))
            call("import", tmp_path / f"{number}.csv")
        call("household", "set", "--postcode", "2000", "--network", "Ausgrid", "--plan", "OWN")
        best = compared(call)["plans"][0]
        assert best["saving"] == "481.80"
        assert best["saving_range"] == {"low": "240.90", "high": "963.60"}

    def test_without_an_earlier_whole_year_there_is_no_range(self, call: Run, tmp_path: Path) -> None:
        stored(call, tmp_path, *MARKET)
        call("household", "set", "--postcode", "2000", "--network", "Ausgrid", "--plan", "OWN")
        assert compared(call)["plans"][0]["saving_range"] is None


class TestWhatEachRowSays:
    def market(self, call: Run, folder: Path, *plans: dict[str, Any], mine: str = "OWN") -> dict[str, Any]:
        stored(call, folder, plan("OWN", "0.40", "Ausgrid"), *plans)
        call("household", "set", "--postcode", "2000", "--network", "Ausgrid", "--plan", mine)
        return compared(call)

    def test_variable_prices_are_never_the_headline(self, call: Run, tmp_path: Path) -> None:
        amber = plan("SPOT", "0.20", "Ausgrid", displayName="Variable Wholesale Prices (estimate only)")
        answer = self.market(call, tmp_path, amber, plan("FIXED", "0.30", "Ausgrid"))
        assert [(row["plan_id"], row["variable"]) for row in answer["plans"][:2]] == [("SPOT", True), ("FIXED", False)]
        assert answer["headline"]["plan_id"] == "FIXED"

    @pytest.mark.parametrize("name", ["Battery Boost VPP", "Virtual Power Plant Saver"])
    def test_a_plan_for_a_virtual_power_plant_by_its_name_is_never_the_headline(
        self, call: Run, tmp_path: Path, name: str
    ) -> None:
        answer = self.market(call, tmp_path, plan("NAMED", "0.20", "Ausgrid", displayName=name))
        assert (answer["plans"][0]["plan_id"], answer["plans"][0]["open"]) == ("NAMED", False)
        assert answer["headline"]["plan_id"] == "OWN"

    @pytest.mark.parametrize(
        "name",
        ["Home Flat + CL2", "Time of Use with CL2", "Anytime Controlled Load 2", "Two Rate CTL", "Demand and CL1"],
    )
    def test_a_plan_that_needs_controlled_load_2_by_its_name_is_not_offered_without_one(
        self, call: Run, tmp_path: Path, name: str
    ) -> None:
        answer = self.market(call, tmp_path, plan("NAMED", "0.20", "Ausgrid", displayName=name))
        assert ids(answer) == ["OWN"]
        assert answer["not_here"] == 1

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("You own an electric vehicle", "with an electric vehicle"),
            ("For members of our virtual power plant", "with a battery"),
            ("You must have a digital meter and battery installed", "with a battery"),
            ("Offer only available to customers with Seniors Card", "seniors card"),
            ("New residential customers (who are also customers of Commonwealth Bank)", "another company"),
        ],
    )
    def test_what_only_a_text_asks_for_is_said_and_is_never_the_headline(
        self, call: Run, tmp_path: Path, text: str, words: str
    ) -> None:
        asked = plan("ASKED", "0.20", "Ausgrid", contract={"eligibility": [{"type": "OTHER", "information": text}]})
        answer = self.market(call, tmp_path, asked)
        assert not answer["plans"][0]["open"]
        assert words in answer["plans"][0]["notes"][0]
        assert answer["headline"]["plan_id"] == "OWN"

    def test_texts_that_not_every_home_meets(self, call: Run, tmp_path: Path) -> None:
        asked = [with_text(f"ASKED{number}", text) for number, (text, _) in enumerate(CLOSED)]
        self.market(call, tmp_path, *asked)
        answer = compared(call, "--top", 0)
        rows = {row["plan_id"]: row for row in answer["plans"]}
        for number, (text, words) in enumerate(CLOSED):
            row = rows[f"ASKED{number}"]
            assert not row["open"], text
            assert words in row["notes"][0]
        assert answer["headline"]["plan_id"] == "OWN"

    def test_texts_that_everybody_can_meet_close_no_plan(self, call: Run, tmp_path: Path) -> None:
        asked = [with_text(f"ASKED{number}", text) for number, text in enumerate(OPEN)]
        rows = {row["plan_id"]: row for row in self.market(call, tmp_path, *asked)["plans"]}
        for number, text in enumerate(OPEN):
            assert (rows[f"ASKED{number}"]["open"], rows[f"ASKED{number}"]["conditions"]) == (True, []), text

    @pytest.mark.parametrize(
        "eligibility",
        [
            {"type": "NEW_CUSTOMER"},
            {"type": "OTHER", "information": "Strictly for new Wren customers"},
            {"type": "OTHER", "information": "New to Wren or Move-in customer"},
        ],
    )
    def test_a_retailers_own_customer_cannot_have_its_plan_for_new_customers(
        self, call: Run, tmp_path: Path, eligibility: dict[str, str]
    ) -> None:
        new = {"contract": {"eligibility": [eligibility]}}
        market = [
            plan("MINE", "0.40", "Ausgrid", brandName="Wren"),
            plan("THEIRS", "0.20", "Ausgrid", brandName="WREN", **new),
            plan("OTHERS", "0.30", "Ausgrid", brandName="Heron", **new),
        ]
        answer = self.market(call, tmp_path, *market, mine="MINE")
        assert [(row["plan_id"], len(row["conditions"])) for row in answer["plans"][:2]] == [
            ("THEIRS", 1),
            ("OTHERS", 0),
        ]
        assert names(answer["plans"][0]["conditions"][0], "new customers", "WREN")
        assert answer["headline"]["plan_id"] == "OTHERS"

    def test_a_home_with_a_concession_can_have_a_plan_for_card_holders(self, call: Run, tmp_path: Path) -> None:
        text = {"type": "OTHER", "information": "Offer available to SA concession card holder only."}
        asked = plan("CARD", "0.20", "Ausgrid", contract={"eligibility": [text]})
        assert self.market(call, tmp_path, asked)["headline"]["plan_id"] == "OWN"
        call("household", "set", "--concession", "Rebate: 100 a year")
        assert compared(call)["headline"]["plan_id"] == "CARD"

    def test_offers_that_cost_the_same_and_exit_fees(self, call: Run, tmp_path: Path) -> None:
        fee = {"fees": [{"type": "EXIT", "term": "FIXED", "amount": "75.00"}]}
        answer = self.market(call, tmp_path, plan("A", "0.30", "Ausgrid"), plan("B", "0.30", "Ausgrid", contract=fee))
        rows = {row["plan_id"]: row for row in answer["plans"]}
        assert {key: row["same_as"] for key, row in rows.items()} == {"A": ["B"], "B": ["A"], "OWN": []}
        assert [rows[key]["exit_fee"] for key in ("A", "B")] == [None, "75.00"]

    def test_conditional_discounts_never_enter_savings(self, call: Run, tmp_path: Path) -> None:
        cut = {"type": "CONDITIONAL", "methodUType": "percentOfBill", "percentOfBill": {"rate": "0.5"}}
        answer = self.market(call, tmp_path, plan("CUT", "0.40", "Ausgrid", contract={"discounts": [cut]}))
        assert {row["plan_id"]: row["saving"] for row in answer["plans"]} == {"CUT": "0.00", "OWN": "0.00"}

    def test_the_cheapest_standing_offer_of_the_same_kind_is_the_yardstick(self, call: Run, tmp_path: Path) -> None:
        all_day = [{"startTime": "00:00", "endTime": "12:00"}], [{"startTime": "12:00", "endTime": "00:00"}]
        bands = [{"rates": [{"unitPrice": "0.10"}], "timeOfUse": windows, "type": "PEAK"} for windows in all_day]
        by_time = {"tariffPeriod": [{"dailySupplyCharge": "1.00", "timeOfUseRates": bands}]}
        answer = self.market(
            call,
            tmp_path,
            plan("DEAR-STANDING", "0.50", "Ausgrid", type="STANDING"),
            plan("STANDING", "0.45", "Ausgrid", type="REGULATED"),
            plan("BY-TIME", "0", "Ausgrid", type="STANDING", contract=by_time),
            plan("ELSEWHERE", "0.05", "Energex", type="STANDING"),
        )
        assert answer["standing"] == {"plan_id": "STANDING", "total": "2569.60"}  # 365 × 1.10 + 4380 kWh × 49.5 c

    def test_the_yardstick_is_looked_for_among_all_stored_plans(self, call: Run, tmp_path: Path) -> None:
        """Today's plan costs 365 × 1.10 + 4380 kWh × 44 c = 2328.70, 9.38 % less than the standing offer."""
        self.market(call, tmp_path, plan("STANDING", "0.45", "Ausgrid", type="STANDING"))
        (tmp_path / "one.json").write_text(json.dumps(plan("CHEAP", "0.20", "Ausgrid")))
        answer = compared(call, "--plans", tmp_path / "one.json")
        assert [row["plan_id"] for row in answer["plans"]] == ["CHEAP"]
        assert answer["standing"] == {"plan_id": "STANDING", "total": "2569.60"}
        assert answer["current"]["below_standing"] == 0.0938
        assert answer["plans"][0]["below_standing"] == 0.4688  # 1365.10

    def test_how_to_switch_names_plan_retailer_and_exit_fee(self, call: Run, tmp_path: Path) -> None:
        terms = {"fees": [{"type": "EXIT", "term": "FIXED", "amount": "75.00"}], "termType": "2_YEAR"}
        own = plan("MINE", "0.40", "Ausgrid", contract=terms)
        answer = self.market(call, tmp_path, own, plan("A", "0.30", "Ausgrid", brandName="Acme"), mine="MINE")
        text = " ".join(step["text"] for step in answer["switching"])
        assert all(word in text for word in ("Acme", "Plan A", "10 business days", "$75.00"))
        assert all(step["source"] for step in answer["switching"])
        assert (answer["current"]["term"], answer["plans"][0]["term"]) == ("2 years", None)
        assert "concession card" not in text
        call("household", "set", "--concession", "Rebate: 365 a year")
        again = compared(call)
        assert "concession card" in " ".join(step["text"] for step in again["switching"])
        assert again["plans"][0]["components"]["concession"] == "-365.00"

    def test_how_to_switch_says_how_long_the_new_plan_is_agreed_for_and_what_leaving_it_costs(
        self, call: Run, tmp_path: Path
    ) -> None:
        terms = {"fees": [{"type": "EXIT", "term": "FIXED", "amount": "20.00"}], "termType": "2_YEAR"}
        own = plan("MINE", "0.40", "Ausgrid")
        answer = self.market(call, tmp_path, own, plan("A", "0.30", "Ausgrid", contract=terms), mine="MINE")
        text = " ".join(step["text"] for step in answer["switching"])
        assert "agreed for 2 years" in text
        assert "may cost up to $20.00" in text
        ongoing = plan("B", "0.20", "Ausgrid", contract={"termType": "ONGOING"})
        text = " ".join(step["text"] for step in self.market(call, tmp_path, ongoing)["switching"])
        assert "agreed for" not in text

    def test_nothing_saved_is_no_reason_to_switch(self, call: Run, tmp_path: Path) -> None:
        assert self.market(call, tmp_path, plan("DEAR", "0.50", "Ausgrid"))["switching"] == []

    def test_a_condition_that_the_homes_data_contradict(self, call: Run, tmp_path: Path) -> None:
        said = "Only for customers without solar."
        closed = plan("NONE", "0.30", "Ausgrid", contract={"eligibility": [{"type": "OTHER", "information": said}]})
        assert self.market(call, tmp_path, closed)["plans"][0]["conditions"] == []
        call("household", "set", "--panels-kw", "5")
        answer = compared(call)
        assert answer["plans"][0]["conditions"] == [said]
        assert answer["headline"]["plan_id"] == "OWN"


def test_the_embedded_network_is_kept_and_can_be_taken_back(call: Run, tmp_path: Path) -> None:
    call("household", "add", "Home")

    def embedded(ended: Ended) -> Any:
        return ended.json["households"][0]["embedded_network"]

    assert embedded(call("household", "list", "--json")) is None
    assert embedded(call("household", "set", "--embedded-network", "--json")) is True
    assert embedded(call("household", "set", "--no-embedded-network", "--json")) is False
