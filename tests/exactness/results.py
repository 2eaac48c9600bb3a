"""What is stored of all results, and the table of the page docs/export.md."""

from __future__ import annotations

import json
import math
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from exactness.kinds import KINDS
from exactness.runs import DIFFERS, NOT_LEARNED, REFUSED

if TYPE_CHECKING:
    Stored = dict[str, Any]

HERE = Path(__file__).resolve().parent
STORED = HERE / "results.json"
WORKING = HERE.parents[1] / "build" / "exactness"
COMMITS = WORKING / "commits.txt"  # a set and a commit in every line
FORMATS = {  # the columns of the table, with the runtimes of each
    "SQL": ("duckdb", "sqlite", "postgres"),
    "ONNX": ("onnxruntime", "onnx"),
    "PMML": ("jpmml", "pypmml"),
    "C": ("gcc", "clang"),
    "Rust": ("rustc", "wasm"),
    "Python": ("python",),
    "JavaScript": ("node",),
    "JSON": ("json",),
    "plain text": ("plain",),
    "Excel": ("libreoffice",),
}


def gathered() -> Stored:
    """All results in short: by kind and runtime, the number of models, the largest difference, what is not exact."""
    sets = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(WORKING.glob("*.json"))}
    found: Stored = {}
    for name, models in sets.items():
        for key, by_runtime in models.items():
            kind = key.rpartition("/")[0]
            for runtime, result in by_runtime.items():
                entry = found.setdefault(kind, {}).setdefault(runtime, {"models": 0, "largest": 0.0})
                _enter(entry, f"{name}/{key}", result)
    ran = {
        runtime: sum(_has(models, runtime) for models in sets.values()) for each in FORMATS.values() for runtime in each
    }
    order = [f"{kind.name}/{kind.predicts}" for kind in KINDS]
    commits = sorted({line.split()[1] for line in COMMITS.read_text("utf-8").splitlines()}) if COMMITS.exists() else []
    kinds = {kind: found[kind] for kind in order if kind in found}
    return {"sets": sorted(sets), "commits": commits, "runtimes": ran, "kinds": kinds}


def merged(stored: Stored, now: Stored) -> Stored:
    """The stored results, with those of the kinds and runtimes that were now run on as many sets.

    ``fewer`` has the number of sets of new kinds that were run on fewer sets than the others.
    """
    ran = {name: n for name, n in now["runtimes"].items() if n >= max(1, stored["runtimes"].get(name, 0))}
    order = [f"{kind.name}/{kind.predicts}" for kind in KINDS]
    found = {
        kind: stored["kinds"].get(kind, {})
        | {name: entry for name, entry in now["kinds"].get(kind, {}).items() if name in ran}
        for kind in order
    }
    fewer = dict(stored.get("fewer", {}))
    for kind, by_runtime in now["kinds"].items():
        if kind not in stored["kinds"] or fewer.get(kind, math.inf) <= len(now["sets"]):
            found[kind], fewer[kind] = by_runtime, len(now["sets"])
    return {
        "fewer": {kind: n for kind, n in fewer.items() if n < len(stored["sets"])},
        "sets": sorted({*stored["sets"], *now["sets"]}),
        "commits": sorted({*stored["commits"], *now["commits"]}),
        "runtimes": stored["runtimes"] | ran,
        "kinds": {kind: by_runtime for kind, by_runtime in found.items() if by_runtime},
    }


def note_commit(name: str) -> None:
    """Note which commit the results of a set are of; with a plus if something else than results was not committed."""
    written = [f":!{STORED.name}", ":!../../docs/export.md"]
    changed = _git("status", "--porcelain", "--untracked-files=no", "--", "../..", *written)
    commit = _git("describe", "--always", "--exclude=*") or "unknown"
    with COMMITS.open("a", encoding="utf-8") as file:
        file.write(f"{name} {commit}{'+' if changed else ''}\n")


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], capture_output=True, text=True, check=False, cwd=HERE)  # noqa: S607 - git
    return done.stdout.strip()


def _has(models: dict[str, Any], runtime: str) -> bool:
    return all(runtime in by_runtime for by_runtime in models.values())


def _enter(entry: dict[str, Any], where: str, result: float | str) -> None:
    if isinstance(result, float | int):
        entry["models"] += 1
        entry["largest"] = max(entry["largest"], result)
    elif result.startswith(REFUSED):
        reasons = entry.setdefault("refused", {})
        reason = result.removeprefix(REFUSED)
        reasons[reason] = reasons.get(reason, 0) + 1
    elif result.startswith(DIFFERS):
        entry.setdefault("differs", {})[where] = result.removeprefix(DIFFERS)
    else:
        assert result.startswith(NOT_LEARNED), result
        entry["not learned"] = entry.get("not learned", 0) + 1


def store(stored: Stored) -> None:
    """Write what is stored."""
    STORED.write_text(json.dumps(stored, indent=1, ensure_ascii=False) + "\n", "utf-8")


def load() -> Stored:
    """Read what is stored."""
    stored: Stored = json.loads(STORED.read_text("utf-8"))
    return stored


def differing(stored: Stored) -> list[str]:
    """Every model that differs in a runtime, one line each."""
    return [
        f"{where} in {runtime}: {' '.join(text.split())}"
        for by_runtime in stored["kinds"].values()
        for runtime, entry in by_runtime.items()
        for where, text in entry.get("differs", {}).items()
    ]


def table(stored: Stored) -> list[str]:
    """The lines of the table: a row per kind, a column per format; then why formats refuse models."""
    kinds = stored["kinds"]
    n_models = sum(max(entry["models"] for entry in by_runtime.values()) for by_runtime in kinds.values())
    lines = [
        f"{n_models:,} models were compared, learned from {len(stored['sets'])} data sets, each on about 140 rows:",
        "rows of the set, rows with missing values, categories that were never seen, and numbers on the cuts of the",
        "models or next to them. **0**: the same to the last digit in every runtime. Otherwise the largest difference",
        "of a probability or a number (relative to numbers above 1), with the same labels. **1 of 9 differ**: this",
        "many models have a row with another label, or a difference above 1e-12 (1e-6 where the model computes kernels",
        "in single precision and the format does not). **no**: the format cannot hold the model. Excel is run by",
        "LibreOffice, without numbers next to cuts, since both compare about 15 digits; polynomials may differ by",
        "2e-12 there, because LibreOffice rounds sums whose terms cancel.",
        "",
        f"| model | {' | '.join(FORMATS)} |",
        f"|---|{'---|' * len(FORMATS)}",
    ]
    for kind, by_runtime in kinds.items():
        name, predicts = kind.split("/")
        twice = sum(other.startswith(f"{name}/") for other in kinds) > 1
        what = {"category": " (classes)", "number": " (numbers)", "cluster": ""}[predicts] if twice else ""
        n_sets = stored.get("fewer", {}).get(kind)
        what += f", {n_sets} data sets" if n_sets else ""
        cells = [_cell([by_runtime[r] for r in runtimes if r in by_runtime]) for runtimes in FORMATS.values()]
        lines.append(f"| {name}{what} | {' | '.join(cells)} |")
    ran = ", ".join(f"{runtime} {n}" for runtime, n in stored["runtimes"].items())
    return [*lines, "", f"Data sets run in each runtime: {ran}.{_commits(stored)}", "", *_reasons(kinds)]


def _commits(stored: Stored) -> str:
    commits = stored.get("commits")
    return f" The results are of the commit{'s' * (len(commits) > 1)} {', '.join(commits)}." if commits else ""


def _cell(entries: list[dict[str, Any]]) -> str:
    """What the runtimes of a format give for a kind."""
    if not entries:
        return "not run"
    n_models = max(entry["models"] + len(entry.get("differs", ())) for entry in entries)
    n_differing = len({where for entry in entries for where in entry.get("differs", ())})
    if n_differing:
        return f"{n_differing} of {n_models} differ"
    if not n_models:
        return "no"
    largest = max(entry["largest"] for entry in entries)
    text = f"{largest:.0e}".replace("e-0", "e-") if largest else "0"
    return f"{text}; some no" if any(entry.get("refused") for entry in entries) else text


def _reasons(kinds: dict[str, Any]) -> list[str]:
    """Every message of a format that refuses models, once."""
    lines = ["The errors of formats that cannot hold a model say why, and what to use instead:", ""]
    for name, runtimes in FORMATS.items():
        found = dict.fromkeys(
            reason
            for kind in kinds.values()
            for runtime in runtimes
            for reason in kind.get(runtime, {}).get("refused", ())
        )
        lines += [f"- {name}: {reason}" for reason in found]
    return lines
