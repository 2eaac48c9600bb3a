"""Probabilities of all classes from the decision values of two-class machines.

A sigmoid of a machine's value is the probability of its second class (Platt 1999; fitted in `learn/svm/machines.py`).
The probabilities of all pairs are coupled: the p nearest to r[ij] p[j] = r[ji] p[i] for every pair (Wu, Lin and Weng
2004, Probability estimates for multi-class classification by pairwise coupling, their second method).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Floats, Ints32


LEAST = 1e-7  # probabilities are kept this far from 0 and 1
MOST_ROUNDS = 100
NEAR = 1e-9


def sigmoid(values: Floats, slopes: Floats) -> Floats:
    """The probability of the second class, 1 / (1 + exp(a v + b)), for every value; one column per machine."""
    z = values * slopes[:, 0] + slopes[:, 1]
    small = np.exp(-np.abs(z))
    return np.where(z >= 0, small / (1 + small), 1 / (1 + small))


def couple(probabilities: Floats, pairs: Ints32, n_classes: int) -> Floats:
    """Probabilities of all classes from the probabilities of pairs.

    Parameters
    ----------
    probabilities : array of shape (rows, pairs)
        The probability of the pair's second class.
    pairs : array of shape (pairs, 2)
        Class codes; every pair of classes that occur is listed once.
    n_classes : int
        Classes that occur in no pair get probability 0.

    Returns
    -------
    array of shape (rows, n_classes)
    """
    rows = len(probabilities)
    found = np.zeros((rows, n_classes))
    classes = np.unique(pairs)
    k = len(classes)
    clipped = np.clip(probabilities, LEAST, 1 - LEAST)
    if k == 2:  # noqa: PLR2004 - two classes: nothing to couple
        found[:, pairs[0, 1]] = probabilities[:, 0]
        found[:, pairs[0, 0]] = 1 - probabilities[:, 0]
        return found
    place = {int(code): at for at, code in enumerate(classes)}
    r = np.zeros((rows, k, k))  # r[:, i, j]: the probability of i, given that it is i or j
    for machine, (first, second) in enumerate(pairs.tolist()):
        i, j = place[first], place[second]
        r[:, j, i], r[:, i, j] = clipped[:, machine], 1 - clipped[:, machine]
    q = -r * r.transpose(0, 2, 1)
    at = np.arange(k)
    q[:, at, at] = (r**2).sum(axis=1)
    found[:, classes] = _nearest_shares(q)
    return found


def _nearest_shares(q: Floats) -> Floats:
    """The probabilities p of every row that minimize p q p; each row is solved independently."""
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
