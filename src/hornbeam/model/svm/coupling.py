"""From what machines of two classes each say to shares of all classes.

A sigmoid of a machine's value is the chance of its second class (Platt 1999; fitted in `learn/svm/machines.py`). The
chances of all pairs are coupled: shares p that come nearest to r[ij] p[j] = r[ji] p[i] for every pair (Wu, Lin and Weng
2004, Probability estimates for multi-class classification by pairwise coupling, their second method).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LEAST = 1e-7  # chances are kept this far from 0 and 1
MOST_ROUNDS = 100
NEAR = 1e-9


def sigmoid(values: Floats, slopes: Floats) -> Floats:
    """The chance of the second class, 1 / (1 + exp(a v + b)), for every value of every machine (a column each)."""
    z = values * slopes[:, 0] + slopes[:, 1]
    small = np.exp(-np.abs(z))
    return np.where(z >= 0, small / (1 + small), 1 / (1 + small))


def couple(chances: Floats, pairs: NDArray[np.int32], n_classes: int) -> Floats:
    """Shares of all classes from the chances of pairs.

    Parameters
    ----------
    chances : array of shape (rows, pairs)
        The chance of the pair's second class.
    pairs : array of shape (pairs, 2)
        Class codes; every pair of the classes that occur is there once.
    n_classes : int
        Classes that occur in no pair get no share.

    Returns
    -------
    array of shape (rows, n_classes)
    """
    rows = len(chances)
    shares = np.zeros((rows, n_classes))
    classes = np.unique(pairs)
    k = len(classes)
    told = np.clip(chances, LEAST, 1 - LEAST)
    if k == 2:  # noqa: PLR2004 - two classes: nothing to couple
        shares[:, pairs[0, 1]] = chances[:, 0]
        shares[:, pairs[0, 0]] = 1 - chances[:, 0]
        return shares
    place = {int(code): at for at, code in enumerate(classes)}
    r = np.zeros((rows, k, k))  # r[:, i, j]: the chance of i where it is one of i and j
    for machine, (first, second) in enumerate(pairs.tolist()):
        i, j = place[first], place[second]
        r[:, j, i], r[:, i, j] = told[:, machine], 1 - told[:, machine]
    q = -r * r.transpose(0, 2, 1)
    at = np.arange(k)
    q[:, at, at] = (r**2).sum(axis=1)
    shares[:, classes] = _nearest_shares(q)
    return shares


def _nearest_shares(q: Floats) -> Floats:
    """The shares p of every row that make p q p least; a row is done by itself, whatever rows are beside it."""
    rows, k = q.shape[:2]
    found = np.full((rows, k), 1.0 / k)
    left = np.arange(rows)
    for _ in range(MOST_ROUNDS):
        p = found[left]
        qp = np.einsum("nij,nj->ni", q, p)
        whole = np.einsum("ni,ni->n", p, qp)
        moving = np.abs(qp - whole[:, np.newaxis]).max(axis=1) >= NEAR
        if not moving.all():
            left, q, p, qp, whole = left[moving], q[moving], p[moving], qp[moving], whole[moving]
        if not len(left):
            break
        for t in range(k):
            step = (whole - qp[:, t]) / q[:, t, t]
            p[:, t] += step
            grown = (1 + step)[:, np.newaxis]
            whole = (whole + step * (step * q[:, t, t] + 2 * qp[:, t])) / (1 + step) ** 2
            qp = (qp + step[:, np.newaxis] * q[:, t]) / grown
            p /= grown
        found[left] = p
    return found
