"""Forests as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbeam.export.compiled_writer.forest_blocks import block_tables

if TYPE_CHECKING:
    from hornbeam.export.compiled_writer.models import Plain, Write
    from hornbeam.export.compiled_writer.tables import Entry, Tables

LINKS = ("identity", "logistic", "exp", "softmax")
SET_WORD = 32
VALUES_READ = 32  # from the first leaf of a tree on, whether it has as many or not


def forest(tables: Tables, plain: Plain, _write: Write) -> Entry:
    """Write a forest."""
    roots = [*plain["roots"], len(plain["first"])]
    leaves = _leaves(plain["first"], plain["roots"])
    place = {node: number for number, node in enumerate(node for own in leaves for node in own)}
    columns = [place.get(node, column) for node, column in enumerate(plain["column"])]
    n_sums = len(plain["base"])
    n_outputs = 2 if plain["link"] == "logistic" else n_sums
    values = [plain["value"][node] for own in leaves for node in own]
    if tables.has_blocks and len(values[0]) == 1:
        values += [[0.0]] * VALUES_READ
    sets, words = _sets(plain["tests"], [tables.n_codes[column] for column in plain["column"]])
    first_leaf = [0]
    for own in leaves:
        first_leaf.append(first_leaf[-1] + len(own))
    tables.need("forests", OUTPUTS=n_outputs)
    fields = (
        *tables.length(len(plain["roots"])),
        LINKS.index(plain["link"]),
        plain["mean"],
        tables.integers(roots, "roots"),
        *([tables.integers(first_leaf, "first_leaf")] if tables.has_blocks else ()),
        tables.integers(columns, "column"),
        tables.reals([0.0 if isinstance(test, list) else test for test in plain["tests"]], "cut"),
        tables.integers(plain["first"], "first"),
        tables.flags([max(int(each), 0) for each in plain["missing"]], "missing"),
        tables.integers(sets if words else (), "set"),
        tables.masks(words, "sets", SET_WORD),
        *(block_tables(tables, plain, leaves) if tables.has_blocks else ()),
        tables.singles([float(each) for value in values for each in value], "leaf_value"),
        len(values[0]),
        tables.integers(plain.get("output", ()), "output"),
        tables.reals(plain["base"], "base"),
        tables.reals([plain["unit"]] if "unit" in plain else (), "unit"),
    )
    return "forest", tables.record("forest_data", fields, "forest"), n_outputs


def _leaves(first: list[int], roots: list[int]) -> list[list[int]]:
    """Return the leaves of every tree from left to right."""
    leaves = []
    for root in roots:
        own, pending = [], [root]
        while pending:
            node = pending.pop()
            if first[node] < 0:
                own.append(node)
            else:
                pending += [first[node] + 1, first[node]]
        leaves.append(own)
    return leaves


def _sets(tests: list[Any], n_codes: list[int]) -> tuple[list[int], list[int]]:
    """Return for every node where the bits of its categories begin (-1: a cut), and the words of bits."""
    starts: list[int] = []
    words: list[int] = []
    for test, n in zip(tests, n_codes, strict=True):
        if not isinstance(test, list):
            starts.append(-1)
            continue
        starts.append(len(words))
        own = [0] * (n // SET_WORD + 1)
        for code in test:
            own[code // SET_WORD] |= 1 << code % SET_WORD
        words += own
    return starts, words
