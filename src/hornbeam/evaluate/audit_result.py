"""The result of the missing-value audit: plain data, and as text (a summary, nodes, policies)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from hornbeam._display import ShowsText
from hornbeam.data.in_words import percent
from hornbeam.evaluate.plain import Plain, plain, plain_fields
from hornbeam.show.texts.columns import aligned
from hornbeam.show.texts.wording import amounts, number, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

How = Literal["as learned", "rerouted", "learned again"]
NAME_LIMIT = 40
WORDS_LIMIT = 60
NONE = "-"


@dataclass(frozen=True, slots=True)
class Tally:
    """A number of rows (a divided row counts at every node that a piece of it reaches), and their weight."""

    rows: int = 0
    weight: float = 0.0


@dataclass(frozen=True, slots=True)
class NodeRoutes(Plain):
    """How rows were routed at one inner node."""

    node: int  # its number
    column: str  # the column of its split
    path: str  # the conditions on the path to it, as text
    arrived: Tally  # rows that reached it
    # those with a missing value, or a category that the split does not know; the rest are routed by the split
    lacking: Tally
    # tuple of (column, Tally): the surrogate splits in the order in which they are tried, and the rows that each routed
    surrogates: tuple[tuple[str, Tally], ...]
    branch: Tally  # rows that took the branch for missing values
    branch_words: str  # that branch as text; empty if there is none
    pieces: Tally  # rows that were divided over all branches
    stopped: Tally  # rows that stopped at this node

    def to_json(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return plain_fields(self) | {"surrogates": [{"column": name} | plain(tally) for name, tally in self.surrogates]}


@dataclass(frozen=True, slots=True)
class PolicyEffect:
    """The effect of one policy for missing values."""

    policy: str  # its name
    how: How  # ``"as learned"``, ``"rerouted"`` (the same tree) or ``"learned again"``
    changed: Tally | None = None  # rows whose prediction differs from that of the original model
    score: float | None = None  # accuracy, or root mean squared error, if the table has the target
    problem: str | None = None  # why the policy cannot be applied


@dataclass(frozen=True, slots=True, repr=False)
class MissingAudit(ShowsText, Plain):
    """The result of `missing_audit`.

    Parameters
    ----------
    table : str
        Name of the table.
    measure : str
        The metric of `score`: accuracy or root mean squared error.
    audited : Tally
        All rows.
    resting : Tally
        Rows with a missing value on their path, so that their prediction depends on the policy.
    nodes : tuple of NodeRoutes
        Every inner node.
    policies : tuple of PolicyEffect
        The model as learned, then the other policies.
    """

    table: str
    measure: str
    audited: Tally
    resting: Tally
    nodes: tuple[NodeRoutes, ...]
    policies: tuple[PolicyEffect, ...]

    def text(self, most_nodes: int = 20) -> str:
        """Two tables as text: the nodes with most missing values by weight, and the policies.

        Parameters
        ----------
        most_nodes : int
            The maximum number of nodes to show.
        """
        return _write(self, most_nodes)


def _write(audit: MissingAudit, most_nodes: int) -> str:
    """Return the audit as lines without a trailing newline."""
    weighted = audit.audited.weight != audit.audited.rows
    name = printable(audit.table, NAME_LIMIT)
    met = _of(audit.resting, audit.audited, weighted=weighted)
    lines = [f"{name}: {met} met a missing value on their path; their prediction depends on the policy"]
    touched = sorted((node for node in audit.nodes if node.lacking.rows), key=lambda node: -node.lacking.weight)
    if touched:
        shown = sorted(touched[:most_nodes], key=lambda node: node.node)
        lines += ["", *_nodes(shown)]
        if len(touched) > len(shown):
            lines.append(f"… and {len(touched) - len(shown)} more nodes where a value was missing")
    lines += ["", *_policies(audit, weighted=weighted)]
    return "\n".join(lines)


def _nodes(nodes: Sequence[NodeRoutes]) -> list[str]:
    heads = {"branch": "one branch", "pieces": "in pieces", "stopped": "ended here"}
    taken = [name for name in heads if any(getattr(node, name).rows for node in nodes)]
    most = max(len(node.surrogates) for node in nodes)
    rows = [["node", "column", "rows", "lacking"]]
    rows[0] += [f"surrogate {place + 1}" for place in range(most)] + [heads[name] for name in taken] + [""]
    for node in nodes:
        row = [str(node.node), printable(node.column, NAME_LIMIT), str(node.arrived.rows), str(node.lacking.rows)]
        for place in range(most):
            text = node.surrogates[place] if place < len(node.surrogates) else None
            row.append(NONE if text is None else f"{printable(text[0], NAME_LIMIT)} {text[1].rows}")
        row += [_count(getattr(node, name)) for name in taken]
        row.append(printable(node.branch_words, WORDS_LIMIT) if node.branch.rows else "")
        rows.append(row)
    return aligned(rows, left={1, len(rows[0]) - 1})


def _count(tally: Tally) -> str:
    return str(tally.rows) if tally.rows else NONE


def _policies(audit: MissingAudit, *, weighted: bool) -> list[str]:
    judged = any(effect.score is not None for effect in audit.policies)
    rows = [["policy", "", "predictions changed", *([audit.measure] if judged else []), ""]]
    for effect in audit.policies:
        changed = NONE
        if effect.changed is not None and effect.how != "as learned":
            changed = _of(effect.changed, audit.audited, weighted=weighted)
        figure = NONE if effect.score is None else _figure(audit, effect)
        how = "" if effect.policy == effect.how else effect.how
        note = "" if effect.problem is None else printable(effect.problem, 2 * WORDS_LIMIT)
        rows.append([effect.policy, how, changed, *([figure] if judged else []), note])
    return aligned(rows, left={0, 1, len(rows[0]) - 1})


def _figure(audit: MissingAudit, effect: PolicyEffect) -> str:
    assert effect.score is not None
    return percent(effect.score) if audit.measure == "accuracy" else number(effect.score)


def _of(part: Tally, whole: Tally, *, weighted: bool) -> str:
    text = f"{part.rows} of {whole.rows} rows"
    if not weighted:
        return text
    of, all_of = amounts([part.weight, whole.weight])
    return f"{text} (weight {of} of {all_of})"
