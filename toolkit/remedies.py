"""What a person can do about a message: each remedy and each option in two wordings, for commands and for pages."""

from __future__ import annotations

import re
from enum import Enum
from typing import Self


class Message(str):
    """A message for a person.

    As a str it is worded for the command line and for JSON. `page` is its wording for the pages, which name fields
    and buttons in place of commands, options and settings. `marked` is that with a mark in place of each remedy.
    """

    page: str
    marked: str

    def __new__(cls, *parts: object) -> Self:
        """Join parts without a separator: texts, remedies, other messages, and errors."""
        message = super().__new__(cls, "".join(map(str, parts)))
        message.page = "".join(map(page_wording, parts))
        message.marked = "".join(map(marked_wording, parts))
        return message


def page_wording(part: object) -> str:
    """Return a text, remedy, message, note or error as the pages word it; what has one wording only stays as it is."""
    return str(getattr(part, "page", part))


REMEDY = "\0"
"""Stands in `marked` where a remedy does."""
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_BEFORE_REMEDY = re.compile(r"(.*?)[:;]\s.*\0", re.DOTALL)


def without_remedies(part: object) -> str:
    """Return a text as somebody reads it who has neither command nor page: what is so, without what to do about it.

    Of a sentence with a remedy, what stands before its first colon or semicolon is left, else nothing.
    """
    left = []
    for sentence in _SENTENCE_END.split(marked_wording(part).strip()):
        if REMEDY not in sentence:
            left.append(sentence)
        elif fact := _BEFORE_REMEDY.match(sentence):
            left.append(f"{fact[1]}.")
    return " ".join(left)


def marked_wording(part: object) -> str:
    """Return a text, remedy, message, note or error as the pages word it, with a mark in place of each remedy."""
    return str(getattr(part, "marked", page_wording(part)))


class Remedy(Enum):
    """A remedy: its wording for the command line, and that for pages. `with_` fills in the names in braces."""

    # The home and its plan
    SET_POSTCODE = ": `toolkit household set --postcode NNNN`", " on the Data page"
    GIVE_POSTCODE = ": --postcode NNNN, or `toolkit household set --postcode NNNN`", " on the Data page"
    SET_CONCESSION = (
        '`toolkit household set --concession "NAME: FIGURES, from DATE"`',
        "add it under Concessions on the Data page",
    )
    ADD_GAS_BILLS = (
        "add its bills (`toolkit invoices add --fuel gas …`) or import its meter reads",
        "add its bills on the Energy bills page, or its meter reads on the Data page",
    )
    SET_PLAN = "`toolkit household set --plan ID`", "choose your energy plan on the Data page"
    CHOOSE_PLAN = (
        "Use --plan, or `toolkit household set --plan ID`",
        "Choose yours on Energy bills, under “Which plan are you on?”",
    )
    SET_SINCE = "`toolkit household set --since DATE`", "enter “On this plan since”"
    SET_PLAN_SINCE = (
        "`toolkit household set --plan {plan} --since DATE`",
        "choose it on the Data page, with the day it began",
    )
    SET_NETWORK = (
        "name yours with --network, or `toolkit household set --network NAME`",
        "enter yours on the Data page",
    )
    OTHER_NETWORK = "set another with --network", "enter another distributor on the Data page"
    OTHER_CUSTOMER = (
        "set another with --customer, or `toolkit household set --customer business`",
        "choose another under “Plans for”",
    )
    SET_PANELS = (
        "set it with `--panels-kw` or `toolkit household set --panels-kw N`",
        "enter it on the Data page",
    )
    SET_BATTERY = (
        "set its size with `toolkit household set --battery-kwh N`, or 0 if there is none",
        "enter its size on the Data page, or 0 if there is none",
    )
    CHOOSE_HOUSEHOLD = "add --household", "choose one under Household"
    ADD_INVERTER_FILE = "import it (`toolkit import FILE`)", "add it on the Data page"
    METER_OF_INVERTER = "name the one that the inverter stands behind with --service-point", "choose one under Meter"
    FILE_CLOCK = (
        "import the file again with --timezone {zone}, after `toolkit forget --file {file}`",
        "delete the file under Stored data, and add it again with its time zone",
    )
    FILE_ZONE = (
        "delete it (`toolkit forget --file NAME`) and import it with --timezone ZONE",
        "delete it on the Data page and add it again with its time zone",
    )
    FILE_UNIT = (
        "correct the unit in its heading, delete what it brought (`toolkit forget --file NAME`) and import it again",
        "correct the unit in its heading, delete it on the Data page and add it again",
    )
    CHOOSE_METER = "add --service-point", "choose one under Meter"
    NEW_HOUSEHOLD = " Add --new to make one of that name.", ""
    # Files and reads
    BEGIN = (
        (
            "Import files (`toolkit import FILE…`), connect (`toolkit connect`, `toolkit sync`), or look around with "
            "`toolkit demo`"
        ),
        "Add files or connect your accounts on the Data page",
    )
    ADD_METER_FILE = (
        "import a meter file (`toolkit import FILE`), or `toolkit connect` and `toolkit sync`",
        "add it on Data",
    )
    ADD_READS = "import a meter file, or `toolkit sync`", "add a meter file or select Update on the Data page"
    SEE_HOURS = (
        "Import meter data (`toolkit import FILE`) to see when energy is used",
        "Add meter data on the Data page to see when energy is used",
    )
    IMPORT_MISSING_DAYS = (
        "Import the missing days (`toolkit import FILE`) for a better one",
        "Add the missing days on the Data page for a better one",
    )
    NEWER_DATA = (
        "Import newer meter data (`toolkit import FILE`) or bills, or `toolkit sync`",
        "Add newer meter data or bills, or select Update, on the Data page",
    )
    OLDER_DATA = (
        "Import older meter data (`toolkit import FILE`) or bills",
        "Add older meter data or bills on the Data page",
    )
    TWO_WEEKS = "Import at least two weeks (`toolkit import FILE`)", "Add at least two weeks on the Data page"
    ADD_METER_DATA = "import it, or `toolkit sync`", "add it or select Update on the Data page"
    ADD_PDF = "with `toolkit invoices add --pdf FILE`", "under “Add files” on the Data page"
    TYPE_BILL = " (`toolkit invoices add`)", " under “Your bills” on Energy bills"
    NAME_COLUMNS = (
        " Name a bank's columns once: --columns date=…,amount=…,description=…",
        " If it is a bank's CSV, name its columns once under “A bank's CSV that is not recognised”.",
    )
    AS_INVERTER = (
        " If it is what a solar inverter generated, import it with --as inverter.",
        " If it is what a solar inverter generated, add it again and choose that under “More about these files”.",
    )
    NAME_ACCOUNT = "`--account NAME` names another", "rename it on Accounts"
    FORGET_FILE = (
        "take it back (`toolkit forget --file {file}`) to import it as another",
        "it stays in its first account",
    )
    WRONG_HOUSEHOLD = (
        "take it back here (`toolkit forget --file {file}`)",
        "take it back here, under “Files” on the Data page",
    )
    READ_AGAIN = (
        "take it back (`toolkit forget --file {file}`), and import it again with these",
        "take it back on Accounts first, and add it again with these",
    )
    SET_CONTROLLED_LOAD = (
        "say `--controlled-load {register}` if it is",
        "say on the Data page whether it is",
    )
    # Plans and bills
    FETCH_PLANS = "Get newer ones with `toolkit plans fetch --here`", "Select “Get published plans” on the Plans page"
    IMPORT_PLANS = "`toolkit plans fetch` brings published plans", "get the published plans on the Plans page first"
    ADD_PLAN = (
        "import one (`toolkit import PLAN.json`), name a file with --plan, or connect the energy account",
        "choose or type yours under “Energy plan” on the Data page, or connect the energy account",
    )
    PRICES_OR_PLAN = (
        "Name another plan with --plan, or store this one's prices from a bill (`toolkit plans new FILE.toml`)",
        "Choose another plan, or type this one's prices from a bill, on the Energy bills page",
    )
    NO_SUCH_PLAN = (
        "{plan} is neither the id of a stored plan (`toolkit plans list`) nor a file. ",
        "No plan with the plan ID {plan} is stored. ",
    )
    LIST_PLANS = "`toolkit plans list` shows the ids", "Choose one of the stored plans"
    CHOOSE_RETAILERS = (
        "Use --here for the plans that this home could have, --retailer NAME, or --all",
        "Choose retailers",
    )
    ADD_CURRENT_PLAN = (
        "Compare the days that it covers with --from and --to, or store the plan's current version",
        "Add the plan's current version on the Data page",
    )
    OTHER_DAYS = "ask for other days, or name a plan with --plan", "choose other dates"
    GET_INVOICES = (
        "`toolkit sync` brings them from the service, or type one from paper: `toolkit invoices add`",
        "select Update on the Data page, or add one under “Your bills”",
    )
    OTHER_BILL = "{days} (`toolkit invoices edit {bill}`)", "{days}"
    TYPE_PAPER_BILL = " (--from, --to, --billed)", ""
    TYPE_PAPER_BILL_OF_METER = " (--service-point, --from, --to, --billed)", ""
    PAPER_BILL_FIELDS = ": --from D --to D --billed AMOUNT", ", and its amount"
    SWITCH_PLAN = " with --plan", " under “Plan”"
    OWED = " (--arrears)", ""
    PAID_OVER = " (--over)", ""
    COMPARED_DAYS = ": --from and --to", ""
    STATED_LINES = " `toolkit as-told list` shows them", " Choose one from the list"
    HOW_OFTEN = " (--per week, fortnight, month, quarter or year)", ""
    # Changes to try
    OTHER_HOURS = (
        "No load can move: --to-window {to_window} has no minute outside --window {window}.",
        "No load can move: the new hours lie within {window}.",
    )
    WRITE_WINDOW = (
        "{option} {window!r}: {reason}. Write the hours as in --window 22:00-06:00.",
        "Choose an end that differs from the beginning.",
    )
    EXAMPLE_WINDOW = ", for example --window 15:00-21:00", ""
    # Accounts, people and consents
    LINK_ACCOUNTS = (
        " Run `toolkit accounts link {accounts}` if they are one account, `toolkit accounts unlink {accounts}` if not.",
        "",
    )
    SET_BALANCE = (
        "Enter it once with `toolkit accounts set ACCOUNT --balance AMOUNT --at DATE`",
        "Enter it once on the Accounts page",
    )
    ADD_DEBT = (
        "Import its transactions (`toolkit import FILE`) or connect it (`toolkit connect`)",
        "Add its transactions, or connect it, on the Data page",
    )
    BALANCE_OF_DAY = "--at is the day of a balance. Add --balance", "Enter the balance of that day, too"
    NOTHING_SET = (
        "Nothing is set. Add --name, --kind, --person, --balance or --household",
        "Nothing was changed",
    )
    NO_SUCH_TRANSACTION = (
        "There is no transaction {wanted}: `toolkit transactions` shows the ends of the ids",
        "This transaction is no longer stored. Open the page again",
    )
    NO_SUCH_ACCOUNT = (
        "There is no account {wanted} in this household any more: `toolkit accounts list` shows them",
        "This account is no longer in this household. Open the page again",
    )
    OTHER_RECORD = "name another with --record", "check that this folder can be written to, and that the disk has room"
    SET_ACCOUNT_KIND = (
        "Say what it is with `toolkit accounts set ACCOUNT --kind KIND`",
        "Say what it is on the Accounts page",
    )
    OWN_ACCOUNT = (
        "If one of them is your own, say so: `toolkit rules add NAME own-account --payee`",
        "If one of them is your own, say so under To review",
    )
    REVIEW = "Choose its category: `toolkit rules review` lists it", "Choose its category under To review"
    NEW_CATEGORY = " Add --new-category to make it one.", ""
    CONNECT = "Run `toolkit connect`", "Connect the accounts on the Data page"
    CONNECT_AGAIN = "Connect again (`toolkit connect`)", "Connect again on the Data page"
    CONNECT_AS_NEW = "connect with --email and --name instead", "connect as someone new instead"
    INVITE_AGAIN = "invite again (toolkit connect --invite)", "send a new link"
    RENEW_OR_FORGET = (
        "renew it (toolkit connect), or delete its data (toolkit forget --consent {consent})",
        "select Renew or “Delete its data” on the Data page",
    )
    SAME_PERSON = " If this is the same person, use --end-user {end_user}.", ""
    ADD_NAME = "add --name", "fill in Name"
    NAME_PERSON = (
        "Name the person who gives consent: --email and --name, or --end-user for an existing consent",
        "Choose the account owner, or fill in Email and Name",
    )
    # The installation
    SET_UP_SERVICE = (
        (
            "{missing}: not set. Set {them} in the environment or with `toolkit credentials set`; `toolkit demo` shows "
            "everything without an account."
        ),
        (
            "The data-sharing service is not set up on this computer. Enter its address and your credentials on the "
            "Settings page, under Data-sharing service."
        ),
    )
    ADDRESS = "TOOLKIT_BASE_URL", "The address of the service"
    CERTIFICATE_SETTINGS = (
        "TOOLKIT_CA, TOOLKIT_CLIENT_CERT or TOOLKIT_CLIENT_KEY",
        "A certificate of this computer for the service",
    )
    SET_ADDRESS = (
        "put its address in TOOLKIT_BASE_URL (or try `toolkit demo`, which needs none)",
        "enter its address on the Settings page, under Data-sharing service",
    )
    SET_CREDENTIALS = (
        "`toolkit credentials set`, or TOOLKIT_CLIENT_ID and TOOLKIT_CLIENT_SECRET",
        "enter client ID and client secret on the Settings page, under Data-sharing service",
    )
    CHECK_CREDENTIALS = (
        "Check client id and secret (`toolkit credentials set`, `toolkit doctor`)",
        "Check client ID and client secret on the Settings page, under Data-sharing service",
    )
    CHECK_CERTIFICATE = (
        "Check TOOLKIT_CLIENT_CERT and TOOLKIT_CLIENT_KEY (`toolkit doctor`)",
        "Ask the person who set up this app to check it",
    )
    CHECK_SETTING = "Check {setting} and the network", "Check the network, or ask the person who set up this app"
    CHECK_RUNNING = (
        "Check {setting}, and that it is running",
        "Try again later, or ask the person who set up this app",
    )
    TRUST_CERTIFICATE = "Set TOOLKIT_CA to its authority", "Ask the person who set up this app"
    ADD_CERTIFICATE = "It may need TOOLKIT_CLIENT_CERT", "Ask the person who set up this app"
    SET_PLATFORM = "set TOOLKIT_PLATFORM={word}", "ask the person who set up this app"
    FIND_PLATFORM = (
        "look up the deployment's own word for TOOLKIT_PLATFORM",
        "ask the person who set up this app",
    )
    RESTORE_BACKUP = (
        "restore a backup: toolkit restore {backup}",
        "open a copy of it",
    )
    RESTORE_COPY = (
        "restore the copy: toolkit restore {copy}",
        "open the copy",
    )
    ASK_DOCTOR = "ask `toolkit doctor`", "open a copy of it if you have one"
    SEE_DOCTOR = "see `toolkit doctor`, which names the backup to restore", "open a copy of it"
    RUN_DOCTOR_FOR_BACKUP = (
        "Run `toolkit doctor`, which names the backup to restore",
        "Open a copy of the data",
    )
    SEE_DOCTOR_AND_REPEAT = "see `toolkit doctor`, and repeat", "open a copy of it"
    RUN_DOCTOR = (
        "run `toolkit doctor`, which looks at the rest and lets you go on",
        "open the rest, or a copy of it",
    )

    def __init__(self, command: str, page: str) -> None:
        self.command, self.page = command, page

    @property
    def marked(self) -> str:
        """Return the mark of a remedy; one that pages leave out has none."""
        return REMEDY if self.page else ""

    def __str__(self) -> str:
        return self.command

    def with_(self, **names: object) -> Message:
        """Return the remedy with the names in braces filled in."""
        message = Message(self.command.format(**names))
        message.page, message.marked = self.page.format(**names), self.marked
        return message


FIELDS = {
    "--address": "Postcode or address",
    "--at": "At the end of",
    "--balance": "Previous balance",
    "--billed": "Amount",
    "--concession": "Concession",
    "--due": "Due",
    "--efficiency": "Efficiency",
    "--eligibility": "Which plans",
    "--email": "Email",
    "--energy": "Energy",
    "--from": "First day",
    "--fuel": "Fuel",
    "--green": "Green energy",
    "--ics": "Calendar file",
    "--issued": "Issued",
    "--kw": "The power in kW",
    "--kwh": "The size in kWh",
    "--name": "Name",
    "--network": "Electricity distributor",
    "--number": "Bill number",
    "--payments": "Payments received",
    "--plan-name": "Plan",
    "--postcode": "Postcode",
    "--price": "Price, installed",
    "--retailer": "Retailer",
    "--service-point": "Meter number (NMI or MIRN)",
    "--share": "How much of that use",
    "--to": "Last day",
    "--to-window": "The new hours",
    "--window": "The hours chosen",
}
"""The field of a page that an option of the command line corresponds to."""


def field_of(option: str) -> Message:
    """Return an option as a message names it: `--kwh`, on pages the field; one that no page has stays as it is."""
    return worded(option, FIELDS.get(option, option))


def worded(command: str, page: str) -> Message:
    """Return a text in two wordings: for commands, and for pages."""
    message = Message(command)
    message.page = message.marked = page
    return message
