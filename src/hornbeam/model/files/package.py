"""The reader of model files: members compared with their checksums, then models put together and checked.

Nothing in a file is trusted. Array headers are matched against the one form that is ever written, and a model is handed
out only after its own checks.
"""

from __future__ import annotations

import hashlib
import struct
import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Schema, SchemaError
from hornbeam.model.base.decision import Decision, attach
from hornbeam.model.base.errors import ModelError, ModelFileError
from hornbeam.model.clusters.projected import ProjectedClusters, projected_from
from hornbeam.model.files.array_types import (
    FOREST_TYPES,
    OPTIONAL,
    OPTIONAL_IN_FORESTS,
    SPLIT_TYPES,
    TRACE_TYPES,
    TREE_TYPES,
)
from hornbeam.model.files.members import (
    MANIFEST,
    MODEL,
    open_members,
    parse_array,
    parse_json,
)
from hornbeam.model.files.plain import (
    linear_from_plain,
    numbers_from_plain,
    provenance_from_plain,
    recipe_from_plain,
    rules_from_plain,
)
from hornbeam.model.files.rows_plain import ROWS_FROM_PLAIN
from hornbeam.model.forests.ensemble import Ensemble
from hornbeam.model.forests.forest import Forest
from hornbeam.model.linear.discretized import DiscretizedModel
from hornbeam.model.neighbors.corrected import CorrectedModel
from hornbeam.model.rules.rule import RuleList
from hornbeam.model.trees.invariants import check_trace
from hornbeam.model.trees.node_figures import calibration_from_plain
from hornbeam.model.trees.split import SplitStore
from hornbeam.model.trees.trace import Trace
from hornbeam.model.trees.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray

    from hornbeam.model.clusters.concepts import ConceptTree
    from hornbeam.model.clusters.dendrogram import Dendrogram
    from hornbeam.model.clusters.graph_clusters import GraphClusters
    from hornbeam.model.clusters.mixture import Mixture
    from hornbeam.model.clusters.partition import Partition
    from hornbeam.model.linear.linear import LinearModel
    from hornbeam.model.neighbors.exemplars import Exemplars
    from hornbeam.model.neighbors.instances import Instances
    from hornbeam.model.neighbors.kstar import KStarModel
    from hornbeam.model.neighbors.local import LocalModel
    from hornbeam.model.neighbors.local_learner import LocalLearner
    from hornbeam.model.svm.svm import SVM
    from hornbeam.model.trees.node_figures import LeafCalibration

    Model = (
        Tree
        | RuleList
        | LinearModel
        | DiscretizedModel
        | Forest
        | Ensemble
        | Instances
        | KStarModel
        | LocalModel
        | LocalLearner
        | Exemplars
        | Partition
        | Mixture
        | CorrectedModel
        | SVM
        | ConceptTree
        | Dendrogram
        | GraphClusters
        | ProjectedClusters
    )

FORMAT = "hornbeam model"
FORMAT_VERSION = 2
UNIT_VERSION = 2  # forests whose values are distances from a base
CLUSTERS = ("partition", "mixture", "concepts", "dendrogram", "graph-clusters")
KINDS = {
    "tree": "a tree",
    "rules": "a list of rules",
    "linear": "a linear model",
    "discretized": "a classifier of intervals",
    "forest": "a forest",
    "ensemble": "models that answer together",
    "instances": "kept rows that answer for those near them",
    "kstar": "kept rows that answer by an entropic distance",
    "local": "kept rows that answer by local regressions",
    "local-learner": "kept rows that answer by local classifiers",
    "exemplars": "boxes of rows of one class",
    "partition": "clusters with a center each",
    "mixture": "a mixture of distributions",
    "corrected": "a model put right by rows near the one asked about",
    "svm": "rows at the margin between classes, or around numbers",
    "concepts": "a tree of concepts",
    "projected": "clusters on principal axes",
    "dendrogram": "clusters in clusters",
    "graph-clusters": "clusters of rows that hang together",
}
CLASSIFIERS = ("tree", "rules", "ensemble", "forest", "instances", "kstar", "local-learner", "exemplars", "svm")
# Everything that the standard library may raise on a damaged zip or JSON.
DAMAGE = (
    zipfile.BadZipFile, zipfile.LargeZipFile, ValueError, KeyError, IndexError, TypeError, AttributeError, EOFError,
    NotImplementedError, RuntimeError, OverflowError, struct.error,
)  # fmt: skip


class Package:
    """The members of a model file, their checksums compared, nothing else believed yet."""

    def __init__(self, data: bytes, name: str) -> None:
        self.name = name
        try:
            self.members = open_members(data)
            manifest = parse_json(self.members.pop(MANIFEST))
            self._check_manifest(manifest)
            self.kind = manifest["kind"]
            self.plain = parse_json(self.members[MODEL])
            self.provenance = provenance_from_plain(self.plain["provenance"])
        except ModelFileError as error:
            msg = f"{name}: {error}"
            raise ModelFileError(msg) from None
        except DAMAGE as error:
            msg = f"{name}: the file is damaged, or is not a model file ({type(error).__name__}: {error})"
            raise ModelFileError(msg) from None

    def model(self) -> Model:
        """Give the model, checked in full."""
        try:
            model = self._model("", self.kind, self.plain)
            if "decision" in self.plain:
                attach(model, Decision.from_json(self.plain["decision"], model.schema))
        except DAMAGE as error:
            raise self._refusal(error) from None
        return model

    def _model(self, folder: str, kind: str, plain: Any) -> Model:  # noqa: ANN401 - whatever the file holds
        if kind == "rules":
            return rules_from_plain(plain["rules"], Schema.from_json(plain["schema"]))
        if kind == "linear":
            return linear_from_plain(plain["linear"], Schema.from_json(plain["schema"]))
        if kind in ROWS_FROM_PLAIN:
            return self._kept_rows(folder, kind, plain)
        others: dict[str, Callable[[str, Any], Model]] = {
            "discretized": self._discretized,
            "forest": self._forest,
            "ensemble": self._ensemble,
            "corrected": self._corrected,
            "projected": self._projected,
        }
        return others.get(kind, self._tree)(folder, plain)

    def _discretized(self, folder: str, plain: Any) -> DiscretizedModel:  # noqa: ANN401 - whatever the file holds
        inner = plain["discretized"]["classifier"]
        if inner["kind"] not in CLASSIFIERS:
            msg = f"intervals are classified by a model of kind {inner['kind']!r}; expected {', '.join(CLASSIFIERS)}"
            raise ModelError(msg)
        classifier = self._model(f"{folder}classifier/", inner["kind"], inner)
        *values, default = numbers_from_plain([*plain["discretized"]["values"], plain["discretized"]["default"]])
        model = DiscretizedModel(Schema.from_json(plain["schema"]), classifier, np.array(values), default)
        model.validate()
        return model

    def _ensemble(self, folder: str, plain: Any) -> Ensemble:  # noqa: ANN401 - whatever the file holds
        own = plain["ensemble"]
        members = []
        for number, inner in enumerate(own["members"]):
            if inner["kind"] not in KINDS:
                msg = f"member {number + 1} is a model of kind {inner['kind']!r}; expected one of {', '.join(KINDS)}"
                raise ModelError(msg)
            members.append(self._model(f"{folder}members/{number}/", inner["kind"], inner))
        default = np.array(numbers_from_plain(own["default"]))
        recipe = recipe_from_plain(own["recipe"])
        model = Ensemble(Schema.from_json(plain["schema"]), tuple(members), default, own["decide"], recipe)
        model.validate()
        return model

    def _corrected(self, folder: str, plain: Any) -> CorrectedModel:  # noqa: ANN401 - whatever the file holds
        own = plain["corrected"]
        if own["base"]["kind"] not in ("tree", "rules", "ensemble") or own["near"]["kind"] != "instances":
            msg = f"rows put right a model of kind {own['base']['kind']!r}; expected tree, rules or ensemble"
            raise ModelError(msg)
        base = self._model(f"{folder}base/", own["base"]["kind"], own["base"])
        near: Any = self._model(f"{folder}near/", "instances", own["near"])
        (reach,) = numbers_from_plain([own["reach"]])
        model = CorrectedModel(Schema.from_json(plain["schema"]), base, near, reach)
        model.validate()
        return model

    def _projected(self, folder: str, plain: Any) -> ProjectedClusters:  # noqa: ANN401 - whatever the file holds
        inner = plain["projected"]["inner"]
        if inner["kind"] not in CLUSTERS:
            msg = f"found on axes is a model of kind {inner['kind']!r}; expected one of {', '.join(CLUSTERS)}"
            raise ModelError(msg)
        clusters: Any = self._model(f"{folder}inner/", inner["kind"], inner)
        schema = Schema.from_json(plain["schema"])
        return projected_from(schema, clusters, lambda name, dtype: self._array(f"{folder}{name}.npy", dtype))

    def _kept_rows(self, folder: str, kind: str, plain: Any) -> Model:  # noqa: ANN401 - whatever the file holds
        def read(name: str, dtype: str) -> NDArray[Any]:
            return self._array(f"{folder}{name}.npy", dtype)

        def has(name: str) -> bool:
            return f"{folder}{name}.npy" in self.members

        model: Model = ROWS_FROM_PLAIN[kind](plain[kind], Schema.from_json(plain["schema"]), read, has)
        return model

    def trace(self) -> Trace | None:
        """Tell how the tree was grown and pruned; None where the file does not tell."""
        if "grown" not in self.plain:
            return None
        try:
            arrays = {name: self._array(f"trace/{name}.npy", dtype) for name, dtype in TRACE_TYPES.items()}
            trace = Trace(grown=self._tree("trace/grown/", self.plain["grown"]), **arrays)
            check_trace(trace)
        except DAMAGE as error:
            raise self._refusal(error) from None
        return trace

    def calibration(self) -> dict[int, LeafCalibration] | None:
        """Give the sets of classes or the intervals at the leaves or rules, by node; None where there are none."""
        if "calibration" not in self.plain:
            return None
        model = self.model()
        n_places = len(model) + 2 if isinstance(model, RuleList) else getattr(model, "n_nodes", 0)
        try:
            return calibration_from_plain(self.plain["calibration"], model.schema, n_places)
        except DAMAGE as error:
            raise self._refusal(error) from None

    def _refusal(self, error: Exception) -> ModelFileError:
        known = isinstance(error, ModelError | SchemaError)
        reason = str(error) if known else f"{type(error).__name__}: {error}"
        return ModelFileError(f"{self.name}: the file does not hold a sound model: {reason}")

    def _check_manifest(self, manifest: Any) -> None:  # noqa: ANN401 - whatever the file holds
        if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
            msg = "a zip file, but not a model file: its manifest does not say so"
            raise ModelFileError(msg)
        if manifest.get("version") not in range(1, FORMAT_VERSION + 1):
            msg = (
                f"written in format version {manifest.get('version')!r}; this program reads versions 1 to "
                f"{FORMAT_VERSION}"
            )
            raise ModelFileError(msg)
        if manifest.get("kind") not in KINDS:
            msg = f"holds a model of kind {manifest.get('kind')!r}; expected one of {', '.join(KINDS)}"
            raise ModelFileError(msg)
        listed = manifest["members"]
        if listed.keys() != self.members.keys():
            odd = sorted(set(listed) ^ set(self.members))
            msg = f"the manifest and the members disagree on {', '.join(map(repr, odd[:5]))}"
            raise ModelFileError(msg)
        for name, data in self.members.items():
            if listed[name]["bytes"] != len(data) or listed[name]["sha256"] != hashlib.sha256(data).hexdigest():
                msg = f"the checksum of {name!r} is wrong: the file is damaged"
                raise ModelFileError(msg)

    def _tree(self, folder: str, plain: Any) -> Tree:  # noqa: ANN401 - whatever the file holds
        pseudo_count = plain["pseudo_count"]
        if isinstance(pseudo_count, bool) or not isinstance(pseudo_count, int | float):
            msg = "pseudo_count is not a number"
            raise ModelError(msg)
        recipe = recipe_from_plain(plain.get("recipe", {}))
        splits = SplitStore(**self._arrays(f"{folder}splits/", SPLIT_TYPES))
        arrays = self._arrays(folder, TREE_TYPES)
        tree = Tree(
            Schema.from_json(plain["schema"]), splits, **arrays, pseudo_count=float(pseudo_count), recipe=recipe
        )
        tree.validate()
        return tree

    def _forest(self, folder: str, plain: Any) -> Forest:  # noqa: ANN401 - whatever the file holds
        forest = Forest(
            Schema.from_json(plain["schema"]),
            **self._arrays(folder, FOREST_TYPES, OPTIONAL_IN_FORESTS),
            combine=plain["forest"]["combine"],
            link=plain["forest"]["link"],
            recipe=recipe_from_plain(plain["recipe"]),
        )
        forest.validate()
        return forest

    def _arrays(self, folder: str, types: Mapping[str, str], optional: AbstractSet[str] = OPTIONAL) -> dict[str, Any]:
        return {
            name: self._array(f"{folder}{name}.npy", dtype)
            for name, dtype in types.items()
            if name not in optional or f"{folder}{name}.npy" in self.members
        }

    def _array(self, name: str, dtype: str) -> NDArray[Any]:
        if name not in self.members:
            msg = f"the array {name!r} is not there"
            raise ModelError(msg)
        return parse_array(name, self.members[name], dtype)
