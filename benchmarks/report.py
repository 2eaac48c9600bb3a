"""Results as text: one table a race, and the bars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.peer import NAMES
from benchmarks.races import SHARE, VARIANCE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# What is shown of an entry, where it has it: heading and format.
SHOWN = {
    "cpu": ("CPU s", "{:.3f}"),
    "wall": ("wall s", "{:.3f}"),
    "convert": ("converting", "{:.3f}"),
    "grow": ("growing", "{:.3f}"),
    "prune": ("pruning", "{:.3f}"),
    "memory": ("peak MB", "{:,.0f}"),
    "accuracy": ("accuracy", "{:.4f}"),
    "rmse": ("RMSE", "{:.4f}"),
    "r2": ("R2", "{:.4f}"),
    "loss": ("held-out loss", "{:.5f}"),
    "training_error": ("training error", "{:.6f}"),
    "leaves": ("leaves", "{:,}"),
    "size": ("nodes", "{:,}"),
    "rules": ("rules", "{:,}"),
    "conditions": ("conditions", "{:,}"),
    "kept": ("rows kept", "{:,}"),
    "distance": ("mean distance", "{:.6f}"),
    "wrong": ("wrong of 50", "{}"),
    "vectors": ("support vectors", "{:,}"),
    "steps": ("steps", "{:,}"),
    "objective": ("dual objective", "{:.4f}"),
    "predict_us": ("predict, us/row", "{:.2f}"),
    "rows_per_second": ("rows/s", "{:,.0f}"),
    "row_ns": ("ns per row", "{:,.0f}"),
    "one_row": ("one row, us", "{:.1f}"),
    "validation": ("cross-validations", "{:.3f}"),
    "times": ("times these", "{:.3f}"),
    "letters": ("letters", "{:,}"),
    "rows_read": ("rows read", "{:,}"),
    "bare": ("python s", "{:.3f}"),
    "importing": ("import s", "{:.3f}"),
    "helping": ("--help s", "{:.3f}"),
}

OPENING = (
    "# Results",
    "",
    "Written by `make bench`; README.md says how the races are run. Times are the best of repeated runs, each in a",
    "process of its own, taken in turns with the rivals: seconds of CPU, but wall where threads are compared. Accuracy",
    "and RMSE are those on held-out rows; the training error is that on the rows learned from, the share of wrong",
    "classes or the RMSE.",
    "",
)


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A Markdown table whose columns line up; all but the first are set to the right."""
    lines = [list(heads), *map(list, rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(heads))]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    lines.insert(1, rule)
    padded = ([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])] for line in lines)
    return [f"| {' | '.join(line)} |" for line in padded]


def section(name: str, race: dict[str, Any]) -> list[str]:
    """One race."""
    taken = [entry for entry in race["entries"] if entry["result"]]
    shown = [what for what in SHOWN if any(what in entry["result"] for entry in taken)]
    several = len({entry["task"] for entry in taken}) > 1
    heads = ["peer", *(["task"] if several else []), "data", "rows", "threads", *(SHOWN[what][0] for what in shown)]
    rows = []
    for entry in taken:
        result = entry["result"]
        cells = [SHOWN[what][1].format(result[what]) if what in result else "" for what in shown]
        n_rows = f"{entry['rows']:,}" if entry["rows"] else ""
        task = [entry["task"].replace("_", " ")] if several else []
        rows.append([NAMES[entry["peer"]], *task, entry["data"], n_rows, str(entry["threads"] or "any"), *cells])
    lines = [f"## {name}", "", f"{race['title']}.", ""]
    lines += [*table(heads, rows), ""] if rows else []
    absent = [(NAMES[entry["peer"]], entry["absent"]) for entry in race["entries"] if entry["absent"]]
    for peer, reason in dict.fromkeys(absent):  # once, however many entries it has
        lines += [f"{peer} was not measured: {reason}.", ""]
    return [*lines, *bars([(name, race)]), ""]


def bars(races: Iterable[tuple[str, dict[str, Any]]]) -> list[str]:
    """The bars of some races."""
    rows = []
    for name, race in races:
        for bar in race["bars"]:
            limit = f"{bar['must_be']} {number(bar['limit'], bar['unit'])}"
            found = "" if bar["value"] is None else number(bar["value"], bar["unit"])
            rows.append([f"{name}: {bar['says']}", limit, found, bar["verdict"]])
    return table(["bar", "must be", "measured", "verdict"], rows)


def number(value: float, unit: str) -> str:
    """A number with its unit."""
    if value >= 1_000 or unit == "differences":  # noqa: PLR2004 - thousands
        text = f"{value:,.0f}"
    else:
        text = f"{value:.4f}" if unit in (SHARE, VARIANCE) else f"{value:.3g}"
    return f"{text} {unit}".strip()


def document(results: dict[str, Any]) -> str:
    """RESULTS.md."""
    races = results["races"]
    lines = [
        *OPENING,
        f"Last run: {results['setting']}.",
        "",
        *bars(races.items()),
        "",
    ]
    for name, race in races.items():
        lines += section(name, race)
    return "\n".join(lines).rstrip() + "\n"
