"""The notebooks that come with the package, written to a folder of one's own."""

from __future__ import annotations

import sysconfig
from pathlib import Path

from toolkit.answers.data import WrittenNotebooks
from toolkit.errors import ToolkitError, UsageError

SHARED = Path("share/finance-energy-toolkit/notebooks")
"""Where the wheel puts the notebooks, in the environment's data folder (`pyproject.toml`, `data-files`)."""


def write_notebooks(out: Path) -> WrittenNotebooks:
    """Write the notebooks to the folder `out`, made where it is missing.

    A notebook of that name that is there and differs may be the reader's own work and is left alone: UsageError names
    it, and nothing is written. Raises ToolkitError where the installation has no notebooks.
    """
    sources = _notebooks()
    clashing = [path.name for path in sources if _differs(path, out / path.name)]
    if clashing:
        raise UsageError(
            f"{out} already has {', '.join(clashing)}, with other content. Choose another folder, or rename your own.",
            option="--out",
        )
    out.mkdir(parents=True, exist_ok=True)
    for path in sources:
        (out / path.name).write_bytes(path.read_bytes())
    return WrittenNotebooks(out=str(out), notebooks=tuple(path.name for path in sources))


def _notebooks() -> list[Path]:
    in_clone = Path(__file__).parents[3] / "notebooks"  # a clone, or an editable install of one
    for folder in (in_clone, Path(sysconfig.get_path("data")) / SHARED):
        found = sorted(folder.glob("[0-9][0-9]_*.ipynb"))
        if found:
            return found
    raise ToolkitError("This installation has no notebooks. Install the package again, from its wheel or its source.")


def _differs(source: Path, target: Path) -> bool:
    return target.exists() and (not target.is_file() or target.read_bytes() != source.read_bytes())
