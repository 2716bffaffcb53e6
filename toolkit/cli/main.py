"""Run the command line: one line on stderr and an exit code for every failure."""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
from contextlib import suppress
from io import TextIOWrapper

import click

from toolkit.cli.root import toolkit
from toolkit.errors import ToolkitError

INTERRUPTED = 130
"""What shells end with after Ctrl-C."""


def main() -> None:
    """Run `toolkit`. A failure is one line on stderr; its traceback is shown with --debug only."""
    _prepare_process()
    atexit.register(
        gc.freeze
    )  # the collections as Python ends would visit all that was loaded, to free what ends anyway
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
        with suppress(OSError):  # the terminal may be gone
            sys.stderr.write("Interrupted.\n")
            sys.stderr.flush()
        sys.exit(INTERRUPTED)
    except ToolkitError as error:
        fail(error, error.exit_code)
    except Exception as error:
        fail(error, 1)


def _prepare_process() -> None:
    """Make a closed terminal end a command as Ctrl-C does, and show characters that the terminal lacks as `?`."""
    for name in ("SIGTERM", "SIGHUP"):
        # a signal that is ignored, as under `nohup`, stays ignored
        if (number := getattr(signal, name, None)) and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def fail(error: Exception, code: int) -> None:
    """Say what went wrong in one line and end with `code`."""
    if "--debug" in sys.argv:
        raise error
    from toolkit.cli.output import sentence

    sys.stderr.write(f"error: {sentence(' '.join(_reason(error).split()))}\n")
    sys.exit(code)


def _reason(error: Exception) -> str:
    if isinstance(error, ToolkitError):
        return str(error)
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return f"{type(error).__name__}: {error} (a defect of the toolkit: --debug shows where)"
