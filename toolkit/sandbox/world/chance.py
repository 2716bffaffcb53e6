"""Repeatable random numbers and identifiers, named by the seed and their purpose."""

from __future__ import annotations

import random
from hashlib import blake2b
from uuid import UUID

import numpy as np


def random_stream(seed: int, *purpose: object) -> random.Random:
    """Return a generator of single numbers; draws for one purpose never shift those for another."""
    return random.Random("/".join(map(str, (seed, *purpose))))  # noqa: S311  invented lives, no secrets


def array_stream(seed: int, *purpose: object) -> np.random.Generator:
    """Return a generator of arrays, separate for every purpose."""
    name = "/".join(map(str, (seed, *purpose)))
    return np.random.default_rng(list(blake2b(name.encode(), digest_size=16).digest()))


def digest(*parts: object, size: int = 12) -> str:
    """Return a hexadecimal identifier of `size` bytes made from `parts`."""
    return blake2b("\x1f".join(map(str, parts)).encode(), digest_size=size).hexdigest()


def uuid(*parts: object) -> str:
    """Return an identifier made from `parts` that looks like a random UUID."""
    return str(UUID(digest(*parts, size=16), version=4))


def digits(count: int, *parts: object) -> str:
    """Return `count` decimal digits made from `parts`, the first of them not 0."""
    number = int(digest(*parts, size=16), 16) % (9 * 10 ** (count - 1))
    return str(number + 10 ** (count - 1))
