"""Chance that repeats: every stream of numbers is named by the seed and what it is for."""

from __future__ import annotations

import random
from hashlib import blake2b
from uuid import UUID

import numpy as np


def dice(seed: int, *purpose: object) -> random.Random:
    """A stream for single draws. Other purposes never shift this one."""
    return random.Random(_name(seed, purpose))  # noqa: S311  invented lives, no secrets


def noise(seed: int, *purpose: object) -> np.random.Generator:
    """A stream for arrays."""
    return np.random.default_rng(list(blake2b(_name(seed, purpose).encode(), digest_size=16).digest()))


def digest(*parts: object, size: int = 12) -> str:
    """Hexadecimal identity of `size` bytes made from `parts`."""
    return blake2b("\x1f".join(map(str, parts)).encode(), digest_size=size).hexdigest()


def uuid(*parts: object) -> str:
    """An identity that looks like a random UUID."""
    return str(UUID(digest(*parts, size=16), version=4))


def digits(count: int, *parts: object) -> str:
    """`count` decimal digits, the first of them not 0."""
    number = int(digest(*parts, size=16), 16) % (9 * 10 ** (count - 1))
    return str(number + 10 ** (count - 1))


def _name(seed: int, purpose: tuple[object, ...]) -> str:
    return "/".join(map(str, (seed, *purpose)))
