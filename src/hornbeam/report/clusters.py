"""A report on clusters: the data, a description of each cluster, pictures, and a comparison with classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hornbeam.data.examine import describe, examine
from hornbeam.data.in_words import percent, plural
from hornbeam.data.schema import Nominal
from hornbeam.data.takes_rows import takes_rows
from hornbeam.export.json_models import clusters_plain
from hornbeam.model.clusters.concepts import ConceptTree
from hornbeam.model.clusters.dendrogram import Dendrogram
from hornbeam.model.clusters.mixture import Mixture
from hornbeam.report.content.blocks import Charts, Folded, Grid, Section, Verbatim, Warned, Words
from hornbeam.report.content.sections import value_words
from hornbeam.report.origin import versions
from hornbeam.report.result import Document
from hornbeam.show import cluster_map, dendrogram, densities, parallel_coordinates, svg, text
from hornbeam.show.texts.wording import printable

if TYPE_CHECKING:
    from hornbeam.data.examine import Description, Finding
    from hornbeam.data.table import Table
    from hornbeam.learn.base.clusterer import ClassesToClusters
    from hornbeam.report.content.blocks import Block

FEWEST_COLUMNS = 2  # minimum number of columns of a map


@dataclass(frozen=True, eq=False, kw_only=True)
class ClusterReport(Document):
    """The result of `report_clusters`.

    Parameters
    ----------
    table : Table
        The data.
    estimator : estimator
        The clusterer, fitted on the table.
    description : Description
        Summaries of the columns.
    findings : tuple of Finding
        Problems of the data that may mislead a learner.
    compared : ClassesToClusters or None
        How the classes of the table's target are distributed over the clusters.
    command : str or None
        The command that creates the same report.
    """

    table: Table
    estimator: Any
    description: Description
    findings: tuple[Finding, ...]
    compared: ClassesToClusters | None
    command: str | None

    @property
    def title(self) -> str:
        """The name of the table."""
        return f"{self.table.schema.name}: clusters"

    @property
    def version(self) -> str:
        """The version of hornbeam that made it."""
        return versions()["hornbeam"]

    def sections(self) -> tuple[Section, ...]:
        """The content, section by section."""
        parts = [
            Section("data", "The data", tuple(self._data())),
            Section("clusters", "The clusters", tuple(self._clusters())),
        ]
        if self.compared is not None:
            parts.append(Section("classes", "Classes and clusters", tuple(self._classes(self.compared))))
        return (*parts, Section("again", "How to reproduce this", tuple(self._again())))

    def cards(self) -> list[tuple[str, str, str]]:
        """The summary: names, values and notes."""
        model = self.estimator.model_
        shown = [
            ("rows", f"{self.table.n_rows:,}", f"{plural(len(model.schema.features), 'column')} to cluster by"),
            ("clusters", str(model.n_clusters), type(self.estimator).__name__),
        ]
        if self.compared is not None:
            index = f"{self.compared.adjusted_rand:.3f}"
            shown.append(("adjusted Rand index", index, "agreement of clusters and classes; 0 is chance, 1 is perfect"))
        return shown

    def to_json(self) -> dict[str, Any]:
        """Plain data for programs."""
        plain: dict[str, Any] = {
            "title": self.title,
            "data": self.description.to_json(),
            "warnings": [finding.message for finding in self.findings],
            "text": text(self.estimator),
            "labels": self.estimator.labels_.tolist(),
            "command": self.command,
            "versions": versions(),
            **clusters_plain(self.estimator.model_),
        }
        if self.compared is not None:
            plain["classes"] = {"names": list(self.compared.classes), "counts": self.compared.counts.tolist()}
        return plain

    def _data(self) -> list[Block]:
        rows = tuple(
            (
                printable(column.name),
                column.kind if column.role == "feature" else f"{column.kind}, {column.role}",
                str(column.missing),
                str(column.distinct),
                value_words(column),
            )
            for column in self.description.columns
        )
        head = ("column", "kind", "missing", "distinct", "values")
        blocks: list[Block] = [
            Words(f"{printable(self.description.name)} has {plural(self.description.rows, 'row')}."),
            Grid("Every column: its kind, missing and distinct values", head, rows, (2, 3)),
        ]
        if self.findings:
            blocks.insert(1, Warned(tuple(finding.message for finding in self.findings)))
        return blocks

    def _clusters(self) -> list[Block]:
        model = getattr(self.estimator.model_, "inner", self.estimator.model_)
        pictures: list[tuple[str, str]] = []
        if isinstance(model, ConceptTree):
            pictures.append((svg(model), "The tree of concepts. Leaves list their rows."))
        if isinstance(model, Dendrogram):
            pictures.append((dendrogram(model), "The order in which clusters were joined."))
        if isinstance(model, Mixture):
            pictures.append((densities(model, self.table), "The components: weight times density, over each column."))
        if len(self.estimator.model_.schema.features) >= FEWEST_COLUMNS:
            labels = self.estimator.labels_
            pictures.append((cluster_map(self.estimator, self.table, labels=labels), "The rows on a plane."))
            lines = parallel_coordinates(self.estimator, self.table, labels=labels)
            pictures.append((lines, "The rows as lines over all columns."))
        return [*(Charts((picture,)) for picture in pictures), Folded("As text", (Verbatim(text(self.estimator)),))]

    def _classes(self, compared: ClassesToClusters) -> list[Block]:
        names = [printable(name) for name in compared.classes]
        rows = tuple(
            (str(number), *(f"{count:g}" for count in row), names[code] if code >= 0 else "-")
            for number, (row, code) in enumerate(zip(compared.counts, compared.assigned, strict=True))
        )
        target = printable(self.table.schema.target_column.name)
        sentence = f"The column {target} was not used for clustering. "
        sentence += (
            f"{percent(compared.wrong)} of the rows are not of the class assigned to their cluster; each class is "
        )
        sentence += f"assigned to at most one cluster. Purity, without this limit: {percent(compared.purity)}."
        grid = Grid("Rows of each class in each cluster", ("cluster", *names, "assigned class"), rows, ())
        return [Words(sentence), grid]

    def _again(self) -> list[Block]:
        blocks: list[Block] = []
        if self.command is not None:
            blocks.append(Verbatim(self.command, "sh"))
        facts = (
            ("fingerprint of the data", self.table.fingerprint()),
            *((f"version of {name}", version) for name, version in versions().items()),
        )
        return [*blocks, Grid("Versions and settings", ("", "value"), facts)]


@takes_rows()
def report_clusters(
    estimator: Any,  # noqa: ANN401 - any clusterer of ours
    table: Table,
    *,
    command: str | None = None,
) -> ClusterReport:
    """Make a report on clusters.

    Parameters
    ----------
    estimator : clusterer
        Fitted on the table.
    table : Table
        The data. A nominal target is compared with the clusters.
    command : str, optional
        The command that creates the same report.

    Returns
    -------
    ClusterReport
        With `html()`, `markdown()`, `to_json()` and `save(path)`.

    Examples
    --------
    >>> import hornbeam
    >>> table = hornbeam.read("iris")
    >>> report = hornbeam.report.report_clusters(hornbeam.KMeans(3, random_state=0).fit(table), table)
    >>> [section.title for section in report.sections()]
    ['The data', 'The clusters', 'Classes and clusters', 'How to reproduce this']
    """
    has_classes = table.schema.target is not None and isinstance(table.schema.target_column, Nominal)
    compared = estimator.classes_to_clusters(table, labels=estimator.labels_) if has_classes else None
    return ClusterReport(
        table=table,
        estimator=estimator,
        description=describe(table),
        findings=tuple(examine(table)),
        compared=compared,
        command=command,
    )
