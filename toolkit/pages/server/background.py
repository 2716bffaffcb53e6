"""Long work in the server process, independent of any session: it continues when the page is left or reloaded."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from toolkit.errors import ToolkitError

KEPT_LINES = 200
STOP_SECONDS = 30


@dataclass(slots=True)
class Job:
    """lines: progress messages so far. link: an address that a person should open. answer, error: how it ended.

    stoppable: whether the work asks `is_stopped` now and then.
    """

    name: str
    stoppable: bool = False
    lines: list[str] = field(default_factory=list)
    link: str | None = None
    answer: object | None = None
    error: ToolkitError | None = None
    _linked: threading.Event = field(default_factory=threading.Event, repr=False)
    _end: threading.Event = field(default_factory=threading.Event, repr=False)
    _stopped: threading.Event = field(default_factory=threading.Event, repr=False)

    def stop(self) -> None:
        """Ask the work to end soon, keeping what it has."""
        self._stopped.set()

    def is_stopped(self) -> bool:
        """Return whether somebody asked the work to end."""
        return self._stopped.is_set()

    @property
    def ended(self) -> bool:
        """Whether the work has ended, well or with an error."""
        return self._end.is_set()

    def wait(self, seconds: float) -> bool:
        """Whether it ended within that time."""
        return self._end.wait(seconds)

    def wait_for_end(self) -> None:
        """Return once it has ended, however long that takes."""
        self._end.wait()

    def end(self) -> None:
        """Mark the work as ended."""
        self._end.set()

    def say(self, message: str) -> None:
        """Add a line of progress; the oldest lines go beyond `KEPT_LINES`."""
        self.lines.append(message)
        del self.lines[:-KEPT_LINES]

    def show_link(self, address: str) -> None:
        """Show an address that a person should open."""
        self.link = address
        self._linked.set()

    def linked(self, seconds: float) -> bool:
        """Whether there is a link to open, within that time."""
        return self._linked.wait(seconds)


Work = Callable[[Job], object]
"""Returns the answer of a flow."""

_jobs: dict[str, Job] = {}
_lock = threading.Lock()


def start(key: str, name: str, work: Work, *, stoppable: bool = False) -> Job:
    """Begin `work` in a thread of its own, unless work of that key is going on already.

    stoppable: whether the work asks now and then whether it is stopped.
    """
    with _lock:
        running = _jobs.get(key)
        if running is not None and not running.ended:
            return running
        job = _jobs[key] = Job(name, stoppable)
    threading.Thread(target=_run, args=(job, work), name=name, daemon=True).start()
    return job


def keep(key: str, answer: object) -> None:
    """Keep a result that a reload of the page must not lose, as that of work of this key that has ended."""
    kept = Job(key, answer=answer)
    kept.end()
    with _lock:
        _jobs[key] = kept


def job(key: str) -> Job | None:
    """Return the latest job of that key; None before the first."""
    return _jobs.get(key)


def running() -> list[Job]:
    """Return the jobs that have not ended."""
    return [job for job in _jobs.values() if not job.ended]


def stop_all() -> None:
    """Stop all work, which may keep the database open. Raises ToolkitError where some of it is still running."""
    for going in running():
        going.stop()
        if not going.wait(STOP_SECONDS):
            raise ToolkitError(f"{going.name} is still going on. Try again when it has ended.")


def clear(key: str) -> None:
    """Forget the latest job of that key, if it has ended: its result has been read."""
    with _lock:
        if key in _jobs and _jobs[key].ended:
            del _jobs[key]


def clear_ended() -> None:
    """Forget all work that has ended, with its results."""
    with _lock:
        for key in [key for key, job in _jobs.items() if job.ended]:
            del _jobs[key]


def _run(job: Job, work: Work) -> None:
    try:
        job.answer = work(job)
    except ToolkitError as error:
        job.error = error
    except Exception:  # a thread's traceback would reach nobody: the page says that it stopped, the log why
        job.error = ToolkitError(
            f"{job.name} stopped because of a fault in this app. What was stored before is kept. Try again."
        )
        raise
    finally:
        job.end()
