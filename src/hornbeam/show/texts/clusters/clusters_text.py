"""Clusters as text: the size of each, its typical values, and what distinguishes it, most informative columns first.

`table` has a line for every column of the data and a column for every cluster.
For a mixture, the principal axes and the distributions that are not normal are written too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hornbeam.data.in_words import percent, plural
from hornbeam.model.clusters.concepts import ConceptTree
from hornbeam.model.clusters.dendrogram import Dendrogram
from hornbeam.model.clusters.mixture import Mixture
from hornbeam.model.clusters.projected import ProjectedClusters
from hornbeam.show.texts.clusters import concepts_text, dendrogram_text
from hornbeam.show.texts.columns import aligned
from hornbeam.show.texts.traits import apart, elsewhere, name_of, typical
from hornbeam.show.texts.wording import NAME_LIMIT, printable, short_number, width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.model.clusters.clustering import ClusterDescription, Clustering
    from hornbeam.model.clusters.mixture import ColumnDistribution
    from hornbeam.show.texts.styles import Request

MOST_TRAITS = 8
TABLE_WIDTH = 100
FAR, MARK = 1.0, "*"  # cells at least this many standard deviations from the rest are marked


def in_style(model: Clustering, request: Request) -> str:
    """Write clusters in a style: one after another, in a tree, or in a table."""
    in_tree = isinstance(model, ConceptTree)
    options = request.p_values or (request.max_depth is not None and not in_tree)
    request.expect("a model of clusters", ("default", "ascii", "describe", "table"), options=options)
    if request.style in ("describe", "table"):
        request.expect("a table or a list of clusters", ("describe", "table"))
        return table(model) if request.style == "table" else write(model)
    if isinstance(model, ConceptTree):
        return concepts_text.write(model, plain=request.plain, max_depth=request.max_depth)
    if isinstance(model, Dendrogram):
        return dendrogram_text.write(model, plain=request.plain)
    return write(model, plain=request.plain)


def write(model: Clustering, *, plain: bool = False) -> str:
    """Describe the clusters; `plain`: in ASCII."""
    beside = _principal_axes(model) if isinstance(model, Mixture) else []
    written = "\n".join([headline(model), *beside, *describe_lines(model)])
    return written.replace(" ± ", " +- ") if plain else written


def headline(model: Clustering) -> str:
    """Report how many rows are in how many clusters, and the value of the objective."""
    if isinstance(model, ProjectedClusters):
        axes = model.axes
        on = f"{plural(axes.kept, 'principal axis', 'principal axes')} of {len(axes.columns)} columns"
        return f"{headline_of(model, model.inner)}; found on {on}"
    return headline_of(model, model)


def headline_of(model: Clustering, fitted: Clustering) -> str:
    """Report the size of a model, and the value of its objective: squared error or log-likelihood."""
    rows, k = int(model.profile.rows[-1]), model.n_clusters
    text = f"{printable(model.schema.name, NAME_LIMIT)}: {plural(rows, 'row')} in {plural(k, 'cluster')}"
    for figure, name in (("error", "squared error"), ("log_likelihood", "log-likelihood")):
        if hasattr(fitted, figure):
            text += f", {name} {short_number(getattr(fitted, figure))}"
    return text


def describe_lines(model: Clustering) -> list[str]:
    """Report every cluster's size, its typical values, and what distinguishes it from the other rows."""
    lines = []
    for text in model.describe():
        if not text.rows:
            lines += ["", f"cluster {text.cluster}: no rows"]
            continue
        shown = text.traits[:MOST_TRAITS]
        cells = [[name_of(t), typical(t, model.schema), elsewhere(t, model.schema), apart(t)] for t in shown]
        columns = [f"  {line}" for line in aligned(cells, left=(0, 1, 2))] if cells else []
        more = len(text.traits) - len(shown)
        lines += ["", f"cluster {text.cluster}: {_size(text, model)}", *columns]
        lines += [f"  and {plural(more, 'more column')}"] * (more > 0)
        lines += _distributions(model, text.cluster) if isinstance(model, Mixture) else []
    if any(trait.rest is not None for text in model.describe() for trait in text.traits):
        lines += ["", "sd: how far the cluster is from the rows elsewhere, in standard deviations of the column"]
    return lines


def table(model: Clustering, *, plain: bool = False) -> str:
    """Write clusters side by side: a line per column of the data, in the data's order; at most as wide as a page."""
    described = model.describe()
    by_name = [{trait.column: trait for trait in text.traits} for text in described]
    names = [model.schema.columns[place].name for place in model.schema.features]
    whole = {trait.column: trait for trait in model.profile.overall(model.schema).traits}
    first = [["", "all rows"], ["rows", str(int(model.profile.rows[-1]))]]
    first += [[printable(name, NAME_LIMIT), typical(whole[name], model.schema)] for name in names]
    others = []
    for text, traits in zip(described, by_name, strict=True):
        cells = [typical(traits[n], model.schema) + MARK * (abs(traits[n].apart) >= FAR) for n in names]
        others.append([f"cluster {text.cluster}", _size(text, model).replace(" rows", "").replace(" row", ""), *cells])
    lines = [headline(model)]
    for block in _blocks(first, others):
        lines += ["", *aligned(block)]
    if any(MARK in cell[-1:] for other in others for cell in other):
        lines += ["", f"{MARK} at least one standard deviation from the rows of the other clusters"]
    written = "\n".join(lines)
    return written.replace(" ± ", " +- ") if plain else written


def _blocks(first: list[list[str]], others: list[list[str]]) -> list[Sequence[Sequence[str]]]:
    """Divide the clusters over several tables if one would be too wide; each begins with the names."""
    names = [row[0] for row in first]
    blocks = [[names, [row[1] for row in first]]]
    used = sum(max(map(width, column)) + 2 for column in blocks[0])
    for other in others:
        wide = max(map(width, other)) + 2
        if used + wide > TABLE_WIDTH and len(blocks[-1]) > 1:
            blocks.append([names])
            used = max(map(width, names))
        blocks[-1].append(other)
        used += wide
    return [list(zip(*block, strict=True)) for block in blocks]


def _size(text: ClusterDescription, model: Clustering) -> str:
    """The number of rows and their fraction of all rows (by weight if rows have weights)."""
    profile = model.profile
    weighted = bool(profile.weight[-1] != profile.rows[-1] or text.weight != text.rows)
    return f"{plural(text.rows, 'row')} ({percent(text.share)}{' of the weight' * weighted})"


def _principal_axes(model: Mixture) -> list[str]:
    """What all components share: the principal axes that columns are rotated onto."""
    axes = model.columns.axes
    if axes is None:
        return []
    kinds = zip(model.columns.numeric, model.columns.distributions, strict=True)
    names = [model.schema.columns[place].name for place, kind in kinds if not kind.is_count]
    turned = ", ".join(printable(names[place], NAME_LIMIT) for place in axes.columns)
    return [f"by {axes.kept} of {len(axes.columns)} principal axes of {turned}"]


def _distributions(model: Mixture, number: int) -> list[str]:
    """The distributions of columns that are not normal by themselves, one line each."""
    text = [one for one in model.distributions(number) if one.distribution not in ("normal", "categories")]
    return [f"  {printable(one.column, NAME_LIMIT)}: {_words(one)}" for one in text]


def _words(one: ColumnDistribution) -> str:
    text = {name: short_number(value) for name, value in one.parameters.items()}
    if one.distribution == "poisson":
        return f"Poisson, {text['rate']} on average"
    if one.distribution == "log-normal":
        return f"log-normal above {text['minimum']}, median {text['median']}, times or over {text['factor']}"
    bounds = f"between {text['low']} and {text['high']}"
    return f"log-odds {bounds}, median {text['median']}, deviation {text['deviation']} of the log-odds"
