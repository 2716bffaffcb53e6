"""File formats and bank layouts of other packages, by the template of the reference page."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import toolkit
from tests.command_line import Run
from toolkit.importers import plugins

PAGE = Path(toolkit.__file__).parent / "docs" / "plugins.md"
BLOCK = re.compile(r"```\w+\n# file: (\S+)\n(.*?)```", re.DOTALL)
GROUPS = re.compile(r'^\[project\.entry-points\."(.+)"\]\n((?:.+\n)+)', re.MULTILINE)

BANK = """When,Who,Money out,Money in
2026-02-01,CORNER CAFE,4.50,
2026-02-02,ACME PAY,,1000.00
2026-02-31,NO SUCH DAY,1.00,
"""
METER = "WATTLE METER 4103000009\n" + "".join(
    f"2026-01-01 {half // 2:02}:{half % 2 * 30:02} | 250\n" for half in range(48)
)

Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Put a package with its metadata onto the path, as pip does: name, entry points as TOML, modules."""
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(site)
    before = set(sys.modules)

    def put(package: str, project: str, files: dict[str, str]) -> None:
        for name, text in files.items():
            (site / name).parent.mkdir(parents=True, exist_ok=True)
            (site / name).write_text(text)
        info = site / f"{package.replace('-', '_')}-0.1.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 0.1\n")
        groups = (f"[{group}]\n" + names.replace('"', "") for group, names in GROUPS.findall(project))
        (info / "entry_points.txt").write_text("\n".join(groups))
        importlib.invalidate_caches()
        plugins.forget()

    yield put
    plugins.forget()
    for name in set(sys.modules) - before:
        if name.startswith(("toolkit_", "other_")):
            del sys.modules[name]


@pytest.fixture
def wattle(install: Install) -> None:
    """The template of the reference page, installed."""
    files = dict(BLOCK.findall(PAGE.read_text()))
    install("toolkit-wattle", files.pop("pyproject.toml"), files)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "bank.csv").write_text(BANK)
    (folder / "meter.txt").write_text(METER)
    return folder


@pytest.mark.usefixtures("wattle")
def test_the_template_of_the_page_reads_a_bank_and_a_meter(run: Run, files: Path) -> None:
    ended = run("import", files, "--json")
    bank, meter = ended.json["files"]
    assert (ended.code, bank["kind"], bank["added"], bank["rejected"]) == (3, "bank-csv", 2, 1)
    assert bank["problems"][0]["where"].endswith("bank.csv:4")
    assert (meter["kind"], meter["added"], meter["problems"]) == ("wattle-meter", 2, [])  # 1 January on two AEST days
    assert [file["note_codes"].count("read_by_plugin") for file in (bank, meter)] == [1, 1]
    listed = run("transactions", "--json").json["transactions"]
    assert {row["description"]: row["amount"] for row in listed} == {"CORNER CAFE": "-4.50", "ACME PAY": "1000.00"}
    [point] = run("usage", "--json").json["service_points"]
    assert (point["service_point_id"], point["import_kwh"]) == ("4103000009", 12.0)  # 48 × 0.25 kWh
    again = run("import", files, "--json").json["files"]
    assert [file["added"] for file in again] == [0, 0]


@pytest.mark.usefixtures("wattle")
def test_a_kind_of_a_package_can_be_named(run: Run, files: Path) -> None:
    assert run("import", files / "meter.txt", "--as", "wattle-meter").code == 0
    assert run("import", files / "meter.txt", "--as", "wattle-water").code == 2


@pytest.mark.usefixtures("wattle")
@pytest.mark.parametrize("arguments", [("--help",), ("import", "--help"), ("status",)])
def test_light_commands_import_nothing_of_it(run: Run, arguments: tuple[str, ...]) -> None:
    run(*arguments)
    assert not [name for name in sys.modules if name.startswith("toolkit_wattle")]


@pytest.mark.usefixtures("wattle")
def test_a_file_that_is_known_is_read_without_it(run: Run, tmp_path: Path) -> None:
    (tmp_path / "commbank.csv").write_text('01/02/2026,"-45.60","SHOP","+1954.40"\n')
    [file] = run("import", tmp_path / "commbank.csv", "--json").json["files"]
    assert "read_by_plugin" not in file["note_codes"]
    assert not [name for name in sys.modules if name.startswith("toolkit_wattle")]


def test_without_the_package_the_files_are_unknown(run: Run, files: Path) -> None:
    ended = run("import", files)
    assert ended.code == 1


PROJECT = '[project.entry-points."finance_energy_toolkit.importers"]\n{name} = "other_package:FORMAT"\n'
CODE = """
from toolkit.importers.imported import Imported
from toolkit.importers.plugins import FileFormat
FORMAT = FileFormat("an example", {recognises}, {read})
"""
WORKS = "lambda source: source.head.text.startswith('EXAMPLE')"
GIVES_NOTHING = "lambda source, options: Imported('x', 'transactions')"


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("broken", "raise RuntimeError('no licence')"),
        ("broken", "import a_package_that_is_not_there"),
        ("broken", "raise SystemExit(3)"),
        ("broken", "FORMAT = 'text'"),
        ("broken", "MISSPELT = None"),
        ("nem12", CODE.format(recognises=WORKS, read=GIVES_NOTHING)),
        ("Broken!", CODE.format(recognises=WORKS, read=GIVES_NOTHING)),
        ("broken", CODE.format(recognises="lambda source: 1 / 0", read=GIVES_NOTHING)),
        ("broken", CODE.format(recognises=WORKS, read="lambda source, options: {}['a']")),
        ("broken", CODE.format(recognises=WORKS, read="lambda source, options: None")),
        ("broken", CODE.format(recognises=WORKS, read="lambda source, options: Imported('x', 'plans')")),
        (
            "broken",
            CODE.format(
                recognises=WORKS,
                read="lambda source, options: Imported('x', 'transactions', {'transactions': [{'colour': 'red'}]})",
            ),
        ),
        (
            "broken",
            CODE.format(
                recognises=WORKS,
                read="lambda source, options: Imported('x', 'transactions', {'transactions': [{'id': 'a'}]})",
            ),
        ),
    ],
)
def test_a_plugin_that_fails_is_named_and_the_rest_goes_in(
    run: Run, install: Install, tmp_path: Path, name: str, code: str
) -> None:
    install("other-package", PROJECT.format(name=name), {"other_package.py": code})
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "commbank.csv").write_text('01/02/2026,"-45.60","SHOP","+1954.40"\n')
    (folder / "unknown.txt").write_text("EXAMPLE\n")
    ended = run("import", folder, "--json")
    bank, unknown = ended.json["files"]
    assert (ended.code, bank["added"], bank["problems"]) == (3, 1, [])
    [problem] = unknown["problems"]
    assert name in problem["reason"]
    assert "other-package" in problem["reason"]
    assert "Traceback" not in ended.err


def test_a_bank_layout_that_cannot_be_used_is_named_with_the_table_it_may_have_read(
    run: Run, install: Install, tmp_path: Path
) -> None:
    project = '[project.entry-points."finance_energy_toolkit.bank_layouts"]\nodd = "other_layout:ODD"\n'
    code = "from toolkit.importers.banks.dialects import Dialect\nODD = Dialect('Odd', {'date': 'day'}, 'iso')\n"
    install("other-layouts", project, {"other_layout.py": code})
    (tmp_path / "table.csv").write_text("Date,Description,Amount\n01/02/2026,SHOP,-4.50\n")
    ended = run("import", tmp_path / "table.csv", "--json")
    [file] = ended.json["files"]
    assert file["added"] == 1
    assert [problem["severity"] for problem in file["problems"]] == ["warning"]
    assert "odd" in file["problems"][0]["reason"]


def test_of_two_packages_with_one_name_the_second_is_named(run: Run, install: Install, tmp_path: Path) -> None:
    for package in ("other_a", "other_b"):
        code = CODE.format(recognises=WORKS, read=GIVES_NOTHING)
        project = PROJECT.format(name="twice").replace("other_package", package)
        install(package.replace("_", "-"), project, {f"{package}.py": code})
    (tmp_path / "example.txt").write_text("EXAMPLE\n")
    [file] = run("import", tmp_path / "example.txt", "--json").json["files"]
    assert file["kind"] == "twice"
    assert [("other-a" in problem["reason"], "other-b" in problem["reason"]) for problem in file["problems"]] == [
        (True, True)
    ]
