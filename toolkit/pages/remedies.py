"""Wording of remedies on pages: the field or button in place of a command, an option or a variable."""

from __future__ import annotations

import re
from typing import Final

_ADMINISTRATOR: Final = "ask the person who set up this app"
_REMEDIES: Final = tuple(
    (re.compile(pattern), shown)
    for pattern, shown in (
        # The home and its plan
        (r"Use --plan, or `toolkit household set --plan ID`", "Choose your energy plan on the Data page"),
        (r"`toolkit household set --since DATE`", "enter “On this plan since” on the Data page"),
        (r"`toolkit household set --plan \S+ --since DATE`", "choose it on the Data page, with the day it began"),
        (r"`toolkit household set --plan ID`", "choose your energy plan on the Data page"),
        (r":? (?:--postcode NNNN, or )?`toolkit household set --postcode NNNN`", " on the Data page"),
        (r"set another with --network", "enter another distributor on the Data page"),
        (r"name yours with --network, or `toolkit household set --network NAME`", "enter yours on the Data page"),
        (r"set another with --customer, or `toolkit household set --customer \w+`", "choose another under “Plans for”"),
        (r"set it with `--panels-kw` or `toolkit household set --panels-kw N`", "enter it on the Data page"),
        # Files
        (r"`--account NAME` names another", "“Name of the bank account” names another"),
        (r"take it back \(`toolkit forget --file [^`]*`\) to import it as another", "it stays in its first account"),
        (r"say `--controlled-load (\w+)` if it is", r"enter \1 as the controlled load channel if it is"),
        (r"import one \(`toolkit import PLAN\.json`\), name a file with --plan, or", "add one on the Data page, or"),
        (
            r"Import files \(`toolkit import FILE…`\), connect \([^)]*\), or look around with `toolkit demo`",
            "Add files or connect your accounts on the Data page",
        ),
        (r"import a meter file \(`toolkit import FILE`\), or `toolkit connect` and `toolkit sync`", "add it on Data"),
        (r"import (a meter file|it), or `toolkit sync`", r"add \1 or select Update on the Data page"),
        # Plans and bills
        (r"`toolkit plans list` shows the ids", "Choose one of the stored plans"),
        (r"[Gg]et newer ones with `toolkit plans fetch`", "Select “Get published plans” on the Plans page"),
        (
            r"Compare the days that it covers with --from and --to, or store the plan's current version",
            "Add the plan's current version on the Data page",
        ),
        (r"ask for other days, or name a plan with --plan", "choose other dates"),
        (
            r"`toolkit sync` brings them from the service, or type one from paper: `toolkit invoices add`",
            "Select Update on the Data page, or add a bill on the page Energy bills",
        ),
        (r" ?\((?:--service-point, )?--from, --to, --billed\)", ""),
        (r", in order: --from D --to D --billed AMOUNT", ", in order, and its amount"),
        (r"--eligibility is one of", "Which plans: one of"),
        (r"--green\b", "Green energy"),
        (r" with --retailer, or all of them with --all", ""),
        # Changes to try
        (r", for example --window [\d:-]+", ""),
        (r"--to-window \S+ has no minute outside --window (\S+?)(?=\.?$)", r"the new hours lie within \1"),
        (r"--(?:to-)?window\b", "The hours chosen"),
        (r"--kwh\b", "The size in kWh"),
        (r"--kw\b", "The power in kW"),
        (r"--efficiency\b", "Efficiency"),
        (r"--share\b", "How much of that use"),
        (r"--price\b", "Price, installed"),
        (r"--billed\b", "Amount"),
        # Accounts, people and consents
        (r" ?Run `toolkit accounts link [^`]*` if they are one account, `toolkit accounts unlink [^`]*` if not\.", ""),
        (
            r"[Rr]enew it \(toolkit connect\), or delete its data \(toolkit forget --consent [^)]*\)",
            "select Renew or “Delete its data” on the Data page",
        ),
        (r"invite again \(toolkit connect --invite\)", "send a new link"),
        (r"Next: toolkit connect\b", "Connect the accounts on the Data page"),
        (r"connect with --email and --name instead", "connect as someone new instead"),
        (r" Where that is who is meant: --end-user [^ ]*", ""),
        (r"add --name\b", "fill in Name"),
        (
            r"Say who is to agree: --email and --name, or --end-user for one whose consent exists",
            "Choose the account owner, or fill in E-mail and Name",
        ),
        (r"add --service-point\b", "choose one under Meter"),
        (r"add --household\b", "choose one under Household"),
        (r"Add --new to make one of that name\.", ""),
        # The installation
        (
            r"^.+: not set\. Set \S+ in the environment or with `toolkit credentials set`.*$",
            f"The data-sharing service is not set up on this computer: {_ADMINISTRATOR}.",
        ),
        (r"look up the deployment's own word for TOOLKIT_PLATFORM|set TOOLKIT_PLATFORM=\w+", _ADMINISTRATOR),
        (r"restore the copy: toolkit restore \S+?(?=\.?(?: |$))", f"{_ADMINISTRATOR} to restore the copy"),
        (r"restore a backup: toolkit restore \S+?(?=[.;]?(?: |$))", f"{_ADMINISTRATOR} to restore a backup"),
        (r"see `toolkit doctor`, which names the backup to restore", _ADMINISTRATOR),
        (r"see `toolkit doctor`, and repeat", _ADMINISTRATOR),
        (r"run `toolkit doctor`, which looks at the rest and lets you go on", _ADMINISTRATOR),
        (r"ask `toolkit doctor`", _ADMINISTRATOR),
        # Any other sentence that names a command: the place that does the same
        (r"Run `toolkit connect[^`]*`", "Connect the accounts on the Data page"),
        (r"Run `toolkit sync[^`]*`", "Select Update on the Data page"),
        (r"run `toolkit sync[^`]*`", "select Update on the Data page"),
        (r"`toolkit connect[^`]*`", "“Connect” on the Data page"),
        (r"`toolkit sync[^`]*`", "“Update” on the Data page"),
        (r"`toolkit import[^`]*`", "“Add files” on the Data page"),
        (r"`toolkit household[^`]*`", "“About the home” on the Data page"),
        (r"`toolkit plans[^`]*`", "“Get published plans” on the Plans page"),
        (r"`toolkit [^`]*`", "the Data page"),
        (r"`?(?<![\w-])--([a-z]+(?:-[a-z]+)*)(?: [A-Z]+\b)?`?", r"“\1”"),
    )
)


def for_page(message: str) -> str:
    """Return the message with each remedy for the command line worded for the pages; other text stays as it is."""
    for pattern, shown in _REMEDIES:
        message = pattern.sub(shown, message)
    return message
