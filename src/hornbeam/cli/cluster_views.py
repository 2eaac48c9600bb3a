"""How `hornbeam cluster` shows clusters: as text, explained, drawn, or one node of a dendrogram."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, Self

import click

from hornbeam.cli.options import THEMES, OptionGroup, count_option, file_option, refuse_without

if TYPE_CHECKING:
    from hornbeam.data.table import Table

KINDS = ("map", "parallel", "dendrogram", "tree", "densities")
STYLES = ("default", "ascii", "describe", "table")
IN_A_TREE = "hierarchical"  # the scheme whose clusters have a dendrogram
CONCEPTS = "cobweb"  # the scheme that makes a tree of concepts
MIXTURE = "em"  # the scheme whose clusters have densities
MOST_NAMED = 5  # rows listed in a warning

view_options = OptionGroup(
    click.option(
        "--style",
        type=click.Choice(STYLES),
        help="How to print clusters. [default: as a tree, if the scheme makes one]",
    ),
    click.option("--explain", type=click.Choice(["tree", "rules"]), help="Also learn what separates the clusters."),
    count_option("--explain-size", "N", "Maximum number of leaves or rules of --explain."),
    file_option("--picture", help="Draw the clusters (.svg)."),
    click.option(
        "--kind",
        type=click.Choice(KINDS),
        help="The picture: rows on a plane, rows as lines over all columns, the tree of a scheme that makes one, or "
        "the densities of a mixture.  [default: the tree, or map]",
    ),
    click.option("--theme", type=click.Choice(THEMES), help="Theme of the picture.  [default: auto, follows the page]"),
    count_option("--node", "N", "Describe a node of the dendrogram.", least=0),
)


@dataclass(frozen=True)
class Views:
    """The options for showing clusters."""

    style: str | None
    explain: str | None
    explain_size: int | None
    picture: str | None
    kind: str | None
    theme: str | None
    node: int | None

    @classmethod
    def split_off(cls, options: dict[str, Any]) -> Self:
        """Remove the options of views from a command's arguments and return them."""
        return cls(**view_options.split_off(options))

    def check(self, scheme: str, *, restarts: bool, restarts_drawn: bool) -> None:
        """Check, before a long computation, that the clusters can be shown."""
        from hornbeam.cli.output import check_picture

        refuse_without("picture", asdict(self), ("kind",) if restarts_drawn else ("kind", "theme"))
        refuse_without("explain", asdict(self), ("explain_size",))
        if scheme != IN_A_TREE and (self.node is not None or self.kind == "dendrogram"):
            option = "--kind dendrogram" if self.node is None else "--node"
            msg = f"{option} is for --scheme {IN_A_TREE}, not for {scheme}"
            raise ValueError(msg)
        for kind, owner in (("tree", CONCEPTS), ("densities", MIXTURE)):
            if self.kind == kind and scheme != owner:
                msg = f"--kind {kind} is for --scheme {owner}, not for {scheme}"
                raise ValueError(msg)
        for field in fields(self):
            if restarts and getattr(self, field.name) is not None and field.name != "theme":
                msg = f"--restarts reports on many runs, and --{field.name} on one; leave out one of them"
                raise ValueError(msg)
        if self.picture is not None:
            check_picture("--picture", self.picture)

    def draw(self, estimator: Any, table: Table) -> None:  # noqa: ANN401 - any estimator of clusters
        """Draw the picture, if requested."""
        if self.picture is None:
            return
        from hornbeam import show
        from hornbeam.cli.output import write_picture
        from hornbeam.model.clusters.concepts import ConceptTree
        from hornbeam.model.clusters.dendrogram import Dendrogram

        usual = {Dendrogram: "dendrogram", ConceptTree: "tree"}
        kind = self.kind or usual.get(type(getattr(estimator.model_, "inner", estimator.model_)), "map")
        theme = self.theme or "auto"
        if kind == "tree":
            write_picture(self.picture, show.svg(estimator, theme=theme))
            return
        if kind == "dendrogram":
            write_picture(self.picture, show.dendrogram(estimator, theme=theme))
            return
        if kind == "densities":
            write_picture(self.picture, show.densities(estimator, table, theme=theme))
            return
        draw = show.cluster_map if kind == "map" else show.parallel_coordinates
        write_picture(self.picture, draw(estimator, table, labels=estimator.labels_, theme=theme))

    def explanation(self, estimator: Any, table: Table, seed: int, *, shown: bool) -> Any:  # noqa: ANN401 - Distilled
        """Learn what separates the clusters, if requested."""
        if self.explain is None:
            return None
        from hornbeam.cli.output import progress_bar
        from hornbeam.learn.explain.distill import explain_clusters

        size = self.explain_size
        given: dict[str, Any] = {"max_leaf_nodes": size, "max_rules": size, "random_state": seed}
        with progress_bar("explaining the clusters", shown=shown):
            return explain_clusters(estimator, table, self.explain, labels=estimator.labels_, **given)

    def text(self, estimator: Any) -> str:  # noqa: ANN401 - any estimator of clusters
        """Describe the clusters, or one node."""
        from hornbeam.cli.output import tree_style
        from hornbeam.show import text
        from hornbeam.show.texts.clusters.dendrogram_text import columns, node_name

        if self.node is None:
            return text(estimator, tree_style(self.style))
        return f"{node_name(estimator.model_, self.node)}\n\n{columns(estimator.model_, self.node)}"


def explanation_lines(small: Any) -> list[str]:  # noqa: ANN401 - Distilled
    """Write an explanation for people, with its fidelity."""
    from hornbeam.cli.output import tree_style
    from hornbeam.show import text

    return ["", "what separates the clusters:", "", text(small, tree_style(None))]


def explanation_plain(small: Any) -> dict[str, Any]:  # noqa: ANN401 - Distilled
    """Return an explanation as plain data."""
    import json

    from hornbeam.export import json as write

    return {
        "fidelity": small.fidelity,
        "folds": small.folds,
        "confusion": small.confusion.tolist(),
        "model": json.loads(write(small)),
    }


def warn_of_odd_rows(table: Table, estimator: Any) -> None:  # noqa: ANN401 - any estimator of clusters
    """Warn about rows without any value, and about empty clusters."""
    import numpy as np

    from hornbeam.cli.output import warn

    known = np.zeros(table.n_rows, np.bool_)
    for column in table.schema.features:
        known |= table.known(column)
    unknown = np.flatnonzero(~known)
    if len(unknown):
        rows = ", ".join(str(row + 1) for row in unknown[:MOST_NAMED]) + ", …" * (len(unknown) > MOST_NAMED)
        one = len(unknown) == 1
        which = f"{'row' if one else 'rows'} {rows} {'has' if one else 'have'}"
        warn(f"{which} no known value: every cluster fits equally well")
    empty = [described.cluster for described in estimator.describe() if not described.rows]
    if empty:
        warn(f"no row is in cluster {', '.join(map(str, empty))}: use fewer clusters (-k)")
