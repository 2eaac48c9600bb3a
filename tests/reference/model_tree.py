"""Equations, pruning and smoothing of a model tree as the formulas stand, solved by NumPy's least squares."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(eq=False)
class NaiveNode:
    """A node of a tree of two-way splits: its rows, the input its split asks for (-1: a leaf), its children."""

    rows: Any
    asked: int = -1
    children: list[NaiveNode] = field(default_factory=list)
    terms: list[int] = field(default_factory=list)
    coefficients: Any = None
    intercept: float = 0.0
    parameters: int = 1
    errors: float = 0.0  # summed absolute errors of what is left at and below

    def inputs(self) -> set[int]:
        """The inputs asked for here and below."""
        return set() if self.asked < 0 else {self.asked}.union(*(child.inputs() for child in self.children))


def grows_by(weight: float, parameters: int) -> float:
    """How much more an equation errs on new rows: (n + v) / (n - v), and 10 where it has as many parameters as rows."""
    return (weight + parameters) / (weight - parameters) if weight > parameters else 10.0


def fit(node: NaiveNode, values: Any, target: Any, weights: Any, *, prune: bool) -> None:
    """Equations from the leaves up; one that does no worse than the subtree takes its place."""
    used = sorted(node.inputs())
    for child in node.children:
        fit(child, values, target, weights, prune=prune)
    x, y, w = values[node.rows], target[node.rows], weights[node.rows]
    node.terms, node.coefficients, node.intercept = equation(x, y, w, used)
    node.parameters = len(node.terms) + 1
    node.errors = float((w * np.abs(y - node.intercept - x[:, node.terms] @ node.coefficients)).sum())
    if not node.children:
        return
    below = sum(child.parameters for child in node.children) + 1
    errors = sum(child.errors for child in node.children)
    if prune and node.errors * grows_by(w.sum(), node.parameters) <= errors * grows_by(w.sum(), below):
        node.children, node.asked = [], -1
    else:
        node.parameters, node.errors = below, errors


def equation(x: Any, y: Any, w: Any, used: list[int]) -> tuple[list[int], Any, float]:
    """Terms, coefficients and intercept: the term missed least goes as long as error times n / (n - v) falls."""
    total = w.sum()
    terms = [j for j in used if np.average((x[:, j] - np.average(x[:, j], weights=w)) ** 2, weights=w) > 1e-12]

    def solved(chosen: list[int]) -> tuple[Any, float]:
        design = np.column_stack([np.ones(len(y)), x[:, chosen]])
        root = np.sqrt(w)
        found = np.linalg.lstsq(design * root[:, None], y * root, rcond=None)[0]
        return found, float((w * (y - design @ found) ** 2).sum())

    def estimate(squares: float, n_terms: int) -> float:
        return np.sqrt(squares) * (total / (total - n_terms - 1) if total > n_terms + 1 else 1e300)

    while terms:
        _, squares = solved(terms)
        without = [solved([t for t in terms if t != term])[1] for term in terms]
        worst = int(np.argmin(without))
        if estimate(without[worst], len(terms) - 1) > estimate(squares, len(terms)):
            break
        del terms[worst]
    found, _ = solved(terms)
    return terms, found[1:], float(found[0])


def answer(path: list[NaiveNode], weights: Any, row: Any, strength: float) -> float:
    """What the leaf at the end of a path answers, smoothed on the way up: p' = (n p + k q) / (n + k)."""
    *above, below = path
    found = below.intercept + row[below.terms] @ below.coefficients
    for node in reversed(above):
        n = weights[below.rows].sum()
        found = (n * found + strength * (node.intercept + row[node.terms] @ node.coefficients)) / (n + strength)
        below = node
    return float(found)
