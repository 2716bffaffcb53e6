"""The command line: arguments → one flow → a printed table or JSON. Start with `toolkit` alone."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType
from typing import NoReturn

INTERRUPTED = 130
"""What shells end with after Ctrl-C."""

from toolkit.errors import ToolkitError


def main() -> None:
    """Run `toolkit`. A failure is one line on stderr; its traceback is shown with --debug only."""
    import click

    from toolkit.cli.root import toolkit

    signal.signal(signal.SIGTERM, _interrupt)
    try:
        code = toolkit(prog_name="toolkit", standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except (KeyboardInterrupt, click.Abort):
        sys.stderr.write("Interrupted.\n")
        sys.exit(INTERRUPTED)
    except ToolkitError as error:
        fail(error, error.exit_code)
    except Exception as error:
        fail(error, 1)


def _interrupt(_number: int, _frame: FrameType | None) -> NoReturn:
    """Ended from outside, as by Ctrl-C: what is open is closed, what is temporary goes."""
    raise KeyboardInterrupt


def fail(error: Exception, code: int) -> None:
    """Say what went wrong in one line and end with `code`."""
    from toolkit.cli.output import printable

    if "--debug" in sys.argv:
        raise error
    known = isinstance(error, ToolkitError)
    reason = str(error) if known else f"{type(error).__name__}: {error} (a defect of the toolkit: --debug shows where)"
    sys.stderr.write(f"error: {printable(' '.join(reason.split()))}\n")
    sys.exit(code)
