"""The widest margin by a primal-dual interior-point method on the whole matrix of kernel values, in 64 bits.

Slow, and exact whatever the kernel: no steps on pairs, no cache, no rounding to 32 bits. The directions are Mehrotra's.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from scipy import linalg

MOST_ROUNDS = 100
NEAR = 0.995  # how far to go of the way to the nearest bound


def widest_margin(gram: Any, sign: Any, limit: float) -> tuple[Any, float]:
    """Coefficients, with the sign of their class, and the intercept.

    To be made small: half of b'Kb less sign'b, where b sums to zero and lies between 0 and `limit` times the sign.
    """
    least, most = np.where(sign > 0, 0.0, -limit), np.where(sign > 0, limit, 0.0)
    share = limit / 2 * min((sign > 0).sum(), (sign < 0).sum())
    b = np.where(sign > 0, share / (sign > 0).sum(), -share / (sign < 0).sum())
    low, high, intercept = np.ones(len(b)), np.ones(len(b)), 0.0  # multipliers of the bounds, and of the sum
    for _ in range(MOST_ROUNDS):
        off = gram @ b - sign + intercept - low + high
        apart = float(low @ (b - least) + high @ (most - b))
        if apart < 1e-11 * abs(0.5 * b @ gram @ b - sign @ b) and np.abs(off).max() < 1e-9:
            break
        system = gram + np.diag(low / (b - least) + high / (most - b) + 1e-13 * np.diag(gram).max())
        factor = linalg.cho_factor(system, overwrite_a=True)
        toward = partial(_direction, factor, off, (b, b - least, most - b), (low, high))
        step, raised, step_low, step_high = toward(-low * (b - least), -high * (most - b))
        length = _room(b - least, step, most - b, -step, low, step_low, high, step_high)
        after = (low + length * step_low) @ (b + length * step - least)
        after += (high + length * step_high) @ (most - b - length * step)
        center = (after / apart) ** 3 * apart / (2 * len(b))
        step, raised, step_low, step_high = toward(
            center - low * (b - least) - step * step_low, center - high * (most - b) + step * step_high
        )
        length = NEAR * _room(b - least, step, most - b, -step, low, step_low, high, step_high)
        b, intercept = b + length * step, intercept + length * raised
        low, high = low + length * step_low, high + length * step_high
    return b, float(intercept)


def _direction(factor: Any, off: Any, places: Any, multipliers: Any, below: Any, above: Any) -> tuple[Any, ...]:
    """Steps of coefficients, of the intercept and of both multipliers, with so much to be made up for at each bound."""
    (b, from_least, to_most), (low, high) = places, multipliers
    level = linalg.cho_solve(factor, np.ones(len(b)))
    free = linalg.cho_solve(factor, -off + below / from_least - above / to_most)
    raised = (free.sum() + b.sum()) / level.sum()
    step = free - raised * level
    return step, raised, (below - low * step) / from_least, (above + high * step) / to_most


def _room(*pairs: Any) -> float:
    """How far, up to 1, every number can be moved along its step before it is zero."""
    lengths = [1.0]
    for number, step in zip(pairs[::2], pairs[1::2], strict=True):
        falls = step < 0
        lengths.extend((-number[falls] / step[falls]).tolist())
    return min(lengths)
