"""Trees learned from partitions are those learned in memory, for any partitions, order and number of workers."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING, Any

import pytest
from oracle import evidence
from scanned_tables import differences, made_table, write_parts

import hornbeam
from hornbeam.scale.trees import finish

if TYPE_CHECKING:
    from pathlib import Path

ESTIMATORS = [
    hornbeam.C45Classifier(),
    hornbeam.C45Classifier(prune=None, collapse=False, nominal="one-vs-rest"),
    hornbeam.C45Classifier(subtree_raising=False, confidence=0.1, threshold="midpoint"),
    hornbeam.ID3Classifier(),
    hornbeam.ID3Classifier(significance=0.05, max_depth=4),
    hornbeam.TreeClassifier(criterion="gini", nominal="subset", min_samples_leaf=4),
    hornbeam.TreeClassifier(criterion="misclassification", max_depth=5),
    hornbeam.TreeClassifier(criterion="entropy", nominal="grouped", prune="minimum-error"),
    hornbeam.CartClassifier(max_surrogates=0, folds=0),
]


def learned(estimator: Any, pattern: str, **options: Any) -> Any:
    source = hornbeam.scan(pattern, target="y", **{"workers": 0, "local_rows": 0, **options})
    return type(estimator)(**estimator.get_params()).fit(source)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_trees_are_those_in_memory(tmp_path: Path, estimator: Any) -> None:
    table = made_table(700)
    expected = estimator.fit(table).model_
    assert expected.n_nodes > 5
    pattern = write_parts(table, tmp_path, 3, seed=5)
    for local_rows in (0, 30, 300, 1000):
        tree = learned(estimator, pattern, local_rows=local_rows).model_
        # gains may be summed in another order
        assert differences(expected, tree, 1e-12) == {}
        assert hornbeam.show.text(expected) == hornbeam.show.text(tree)


@pytest.mark.parametrize("missing", ["fractional", "majority", "default-direction"])
def test_missing_values(tmp_path: Path, missing: str) -> None:
    table = made_table(500, missing=0.1)
    estimator = hornbeam.TreeClassifier(criterion="entropy", missing=missing, min_samples_leaf=5)
    expected = estimator.fit(table).model_
    pattern = write_parts(table, tmp_path, 2)
    for local_rows in (0, 100):
        tree = learned(estimator, pattern, local_rows=local_rows).model_
        # pieces of rows are whole multiples of a small unit
        assert differences(expected, tree, 1e-6) == {}


@pytest.mark.parametrize("name", ["labor", "hepatitis", "vote"])
def test_branches_are_raised_as_in_memory(tmp_path: Path, name: str) -> None:
    table = hornbeam.read(evidence.arff(name), target=-1)
    target = table.schema.target_column.name
    expected = hornbeam.C45Classifier().fit(table).model_
    assert expected.n_nodes != hornbeam.C45Classifier(subtree_raising=False).fit(table).model_.n_nodes or name == "vote"
    pattern = write_parts(table, tmp_path, 2, seed=1)
    for local_rows in (0, 60):
        source = hornbeam.scan(pattern, target=target, workers=0, local_rows=local_rows, bins=1000)
        assert differences(expected, hornbeam.C45Classifier().fit(source).model_, 1e-6) == {}


@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("values", [40, None])
def test_the_model_file_depends_on_nothing_but_the_rows(tmp_path: Path, missing: float, values: int | None) -> None:
    table = made_table(600, missing=missing, values=values)
    files = set()
    for parts, seed, workers in [(1, None, 0), (3, 1, 0), (7, 2, 2)]:
        pattern = write_parts(table, tmp_path / f"{parts}", parts, seed)
        fitted = learned(hornbeam.C45Classifier(), pattern, local_rows=60, bins=16, workers=workers)
        fitted.save(tmp_path / "model.hornbeam")
        files.add((tmp_path / "model.hornbeam").read_bytes())
    assert len(files) == 1


def test_many_values_are_cut_at_quantiles_and_small_nodes_exactly(tmp_path: Path) -> None:
    table = made_table(2000, values=None)
    pattern = write_parts(table, tmp_path, 2)
    exact = hornbeam.C45Classifier().fit(table)
    binned = learned(hornbeam.C45Classifier(), pattern, bins=32, local_rows=500)
    coarse = learned(hornbeam.C45Classifier(), pattern, bins=4)
    score = [model.score(table) for model in (exact, binned, coarse)]
    assert abs(score[0] - score[1]) < 0.05
    distinct = [len(set(model.model_.splits.cuts)) for model in (exact, coarse)]
    assert distinct[1] < 20 < distinct[0]


@pytest.mark.parametrize(
    ("estimator", "found"),
    [
        (hornbeam.CartClassifier(folds=0), "max_surrogates=5"),
        (hornbeam.CartClassifier(max_surrogates=0), "folds=10"),
        (hornbeam.C45Classifier(prune="reduced-error"), "prune='reduced-error'"),
        (hornbeam.C45Classifier(compat="weka"), "compat='weka'"),
        (hornbeam.C45Classifier(class_weight="balanced"), "class_weight='balanced'"),
        (hornbeam.C45Classifier(keep_trace=True), "keep_trace=True"),
        (hornbeam.TreeClassifier(numeric="multi-cut"), "numeric='multi-cut'"),
    ],
    ids=str,
)
def test_what_is_not_supported_is_named(tmp_path: Path, estimator: Any, found: str) -> None:
    pattern = write_parts(made_table(100), tmp_path, 1)
    with pytest.raises(ValueError, match=found):
        learned(estimator, pattern)


def test_other_learners_say_so(tmp_path: Path) -> None:
    pattern = write_parts(made_table(100), tmp_path, 1)
    with pytest.raises(TypeError, match="RipperClassifier learns from tables in memory only, and there are 100 rows"):
        hornbeam.RipperClassifier().fit(hornbeam.scan(pattern, target="y", workers=0, local_rows=50))


def test_few_rows_are_learned_in_memory_by_any_choice(tmp_path: Path) -> None:
    table = made_table(100, missing=0.1)
    pattern = write_parts(table, tmp_path, 4)
    estimator = hornbeam.CartClassifier(random_state=1)
    tree = learned(estimator, pattern, local_rows=100).model_
    assert tree.same_as(hornbeam.CartClassifier(random_state=1).fit(table).model_)


def test_one_class_and_rows_without_a_class(tmp_path: Path) -> None:
    table = made_table(60)
    one = table.take(table.target_values() == 1)
    model = learned(hornbeam.C45Classifier(), write_parts(one, tmp_path / "one", 2)).model_
    assert (model.n_nodes, model.rows.tolist(), model.label.tolist()) == (1, [one.n_rows], [1])
    assert differences(hornbeam.C45Classifier().fit(one).model_, model) == {}
    table.columns[-1].setflags(write=True)
    table.columns[-1][::3] = -1
    expected = hornbeam.C45Classifier().fit(table).model_
    assert differences(expected, learned(hornbeam.C45Classifier(), write_parts(table, tmp_path / "l", 3)).model_) == {}
    table.columns[-1][:] = -1
    with pytest.raises(ValueError, match="no rows to learn from"):
        learned(hornbeam.C45Classifier(), write_parts(table, tmp_path / "none", 3))


@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_rows_in_files_give_the_same_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: float) -> None:
    """The rows of small nodes wait in temporary files if they are many."""
    pattern = write_parts(made_table(900, missing=missing), tmp_path, 5)
    expected = learned(hornbeam.C45Classifier(), pattern, local_rows=100)
    monkeypatch.setattr(finish, "BATCH_CELLS", 1000)
    (tmp_path / "spare").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "spare"))
    written = []
    append = finish._append
    monkeypatch.setattr(finish, "_append", lambda *given: written.append(len(given[1])) or append(*given))
    found = learned(hornbeam.C45Classifier(), pattern, local_rows=100)
    assert sum(written) > 10
    assert differences(expected.model_, found.model_, 0.0) == {}
    assert not [path for path in (tmp_path / "spare").rglob("*") if path.is_file() and path.suffix != ".npy"]
