"""What the banks sell."""

from __future__ import annotations

from typing import Any

from toolkit.sandbox.world.chance import uuid
from toolkit.sandbox.world.institutions import Institution

NAMES = (
    ("Everyday Account", "TRANS_AND_SAVINGS_ACCOUNTS"),
    ("Rainy Day Saver", "TRANS_AND_SAVINGS_ACCOUNTS"),
    ("Low Rate Card", "CRED_AND_CHRG_CARDS"),
    ("Basic Variable Home Loan", "RESIDENTIAL_MORTGAGES"),
    ("Twelve Month Term Deposit", "TERM_DEPOSITS"),
    ("Growing Business Loan", "BUSINESS_LOANS"),
)


def product_records(institution: Institution) -> list[dict[str, Any]]:
    """The products of a bank; none of a retailer."""
    return [_product(institution, *entry) for entry in NAMES] if institution.industry == "banking" else []


def _product(institution: Institution, name: str, category: str) -> dict[str, Any]:
    identity = uuid(institution.id, name)
    return {
        "platform_id": f"bank_product_{identity}",
        "institution_id": institution.id,
        "product_id": identity,
        "name": name,
        "brand": institution.name.upper().replace(" ", "_"),
        "brand_name": institution.name,
        "description": f"{name} by {institution.name}",
        "product_category": category,
        "application_uri": "https://bank.example/apply",
        "effective_from": "2023-01-01T00:00:00Z",
        "effective_to": "2031-12-31T00:00:00Z",
        "last_updated": "2024-05-06T07:08:09Z",
        "is_tailored": category == "BUSINESS_LOANS",
        "card_art": [{"image_uri": "https://bank.example/card.svg", "title": name}],
        "additional_information": _links(),
    }


def _links() -> dict[str, Any]:
    subjects = ("bundle", "eligibility", "fees_and_pricing", "overview", "terms")
    more = {"additional_info_uri": "https://bank.example/more", "description": "More"}
    return {f"{subject}_uri": f"https://bank.example/{subject}" for subject in subjects} | {
        f"additional_{subject}_uris": [more] for subject in subjects
    }
