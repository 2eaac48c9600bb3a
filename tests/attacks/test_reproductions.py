"""Faults that reviews of the program found, one small reproduction each: wrong results, crashes, work that never ends.

Only what the package offers to everyone is used, so that these tests also run on older versions. What may end the
process runs in a process of its own.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from attacks.reproducing import apart, changed, ran

import hornbeam

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.filterwarnings("ignore")


def arff(folder: Path, head: str, rows: str) -> Path:
    lines = ["@relation t", *(f"@attribute {line}" for line in head.split("; ")), "@data", *rows.split()]
    path = folder / "t.arff"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


# --- wrong or different results ---------------------------------------------------------------------------------------


def test_cuts_are_placed_among_rows_without_a_class_as_in_j48(tmp_path: Path) -> None:
    path = arff(tmp_path, "x numeric; c {a,b}", "1,a 2,a 3,a 10,b 11,b 12,b 6,?")
    text = hornbeam.show.text(hornbeam.C45Classifier(compat="weka").fit(hornbeam.read(path, target="c")))
    assert "<= 6" in text


def test_limits_count_rows_and_not_weights_as_in_the_reference_programs(tmp_path: Path) -> None:
    path = arff(tmp_path, "x numeric; c {a,b}", "1,a,{3} 2,b,{3}")
    tree = hornbeam.C45Classifier(prune=None, compat="weka").fit(hornbeam.read(path, target="c")).model_
    assert tree.n_leaves == 1
    cart = hornbeam.CartRegressor(min_samples_split=10, min_samples_leaf=3, compat="rpart")
    assert cart.fit([[1], [2], [3], [4]], [0, 0, 5, 5], sample_weight=[5] * 4).model_.n_leaves == 1


def test_rows_without_features_are_treated_alike_with_weights_of_one() -> None:
    x = np.append(np.arange(20.0), [np.nan] * 5)[:, np.newaxis]
    y = np.repeat([0.0, 1.0, 9.0], [10, 10, 5])
    columns = (hornbeam.Numeric("x"), hornbeam.Numeric("y"), hornbeam.Numeric("w"))
    table = hornbeam.Table(hornbeam.Schema(columns, ("feature", "target", "weight")), [x[:, 0], y, np.ones(25)])
    asked = [[np.nan]]
    found = {
        float(hornbeam.CartRegressor().fit(x, y).predict(asked)[0]),
        float(hornbeam.CartRegressor().fit(x, y, sample_weight=np.ones(25)).predict(asked)[0]),
        float(hornbeam.CartRegressor().fit(table).predict(asked)[0]),
    }
    assert len(found) == 1


def test_model_trees_do_not_leak_the_target_through_missing_values() -> None:
    random = np.random.default_rng(1)
    a = random.normal(size=400)
    y = 5.0 * (a > 0) + 0.3 * random.normal(size=400)
    b = y + 0.05 * random.normal(size=400)  # nearly the target itself, where it is known
    b[random.random(400) < 0.5] = np.nan
    x = np.column_stack([a, b])
    assert hornbeam.M5Regressor().fit(x, y).score(x, y) > 0.95


@pytest.mark.parametrize("data", ["cpu", "servo", "auto-mpg"])
def test_the_fit_printed_below_a_model_tree_is_that_of_its_predictions(data: str) -> None:
    table = hornbeam.read(data)
    fitted = hornbeam.M5Regressor().fit(table)
    line = next(line for line in hornbeam.show.text(fitted).splitlines() if "of the variance" in line)
    printed = float(line.split("explains ")[1].split("%")[0])
    assert printed == pytest.approx(100 * fitted.score(table), abs=0.051)


def test_weights_of_model_trees_are_repeated_rows_with_missing_values_too() -> None:
    x = np.array([5, 5, 0, 5, np.nan, 1])[:, np.newaxis]
    y = np.array([0.0, 5, 0, 7, 1, 1])
    weights = np.array([1, 1, 3, 1, 1, 1])
    rows = np.repeat(np.arange(6), weights)
    asked = [[0.0], [1.0], [5.0]]
    one = hornbeam.M5Regressor().fit(x, y, sample_weight=weights).predict(asked)
    np.testing.assert_allclose(one, hornbeam.M5Regressor().fit(x[rows], y[rows]).predict(asked), rtol=1e-9)


@pytest.mark.parametrize(
    "make", [hornbeam.M5Regressor, hornbeam.M5RulesRegressor,
             lambda: hornbeam.TreeRegressor(leaf="linear", min_samples_leaf=10)]
)  # fmt: skip
def test_missing_values_of_equations_are_filled_with_weighted_means(make: Any) -> None:
    random = np.random.default_rng(3)
    x = random.normal(size=(60, 3))
    y = x @ [3.0, 1.0, 0.0] + random.normal(size=60)
    x[::6, 0] = np.nan
    weights = random.integers(1, 5, 60)
    rows = np.repeat(np.arange(60), weights)
    one, other = make().fit(x, y, sample_weight=weights), make().fit(x[rows], y[rows])
    np.testing.assert_allclose(one.predict(x), other.predict(x), rtol=1e-7, atol=1e-7)


def test_costs_never_predict_a_class_without_rows(tmp_path: Path) -> None:
    path = arff(tmp_path, "x numeric; c {a,b,zz}", " ".join(f"{i},{'ab'[i % 2]}" for i in range(20)))
    table = hornbeam.read(path, target="c")
    for make in (hornbeam.CartClassifier, hornbeam.RipperClassifier, hornbeam.NeighborsClassifier):
        costs = {"a": {"b": 3}, "b": {"a": 3}}
        assert "zz" not in set(make(costs=costs).fit(table).predict(table))


def test_priors_and_missing_values_as_in_rpart(tmp_path: Path) -> None:
    rows = "2,1,b 0,1,b ?,1,a 3,1,b 1,1,b 3,1,a"
    table = hornbeam.read(arff(tmp_path, "x numeric; k numeric; c {a,b}", rows), target="c")
    cart = hornbeam.CartClassifier(
        priors={"a": 0.716, "b": 0.284}, min_samples_split=4, min_samples_leaf=2, cp=0.001, folds=0, compat="rpart"
    )
    assert cart.fit(table).model_.n_leaves == 1


def test_ties_of_the_nearest_row_in_the_order_of_sums_of_ib1(tmp_path: Path) -> None:
    rows = "1,b,h,cb 3,b,g,ca 0,a,c,ca 2,b,a,ca ?,b,?,ca"
    table = hornbeam.read(arff(tmp_path, "x numeric; p {a,b}; q {a,c,g,h}; c {ca,cb}", rows), target="c")
    nearest = hornbeam.NeighborsClassifier(1, ties="first", compat="weka").fit(table.take([0, 1, 2, 3]))
    assert nearest.predict(table.take([4])).tolist() == ["ca"]


def test_leaves_of_equal_numbers_are_exact() -> None:
    x = np.random.default_rng(0).normal(size=(97, 2))
    for value in (0.1, 1 / 3):
        y = np.where(x[:, 0] > 0, 0.0, value)
        fitted = hornbeam.TreeRegressor().fit(x, y)
        assert (fitted.predict(x) == y).all()
        leaves = fitted.model_.n_children == 0
        assert not fitted.model_.value[leaves, 2].any()


def test_committees_of_rules_are_better_than_by_the_former_criterion() -> None:
    table = hornbeam.read("cpu")
    scores = {"default": 0.0, "former": 0.0}
    for seed in range(3):
        rows = np.random.default_rng(seed).permutation(table.n_rows)
        train, test = table.take(rows[:140]), table.take(rows[140:])
        scores["default"] += hornbeam.M5RulesRegressor(committees=5).fit(train).score(test) / 3
        former = hornbeam.M5RulesRegressor(committees=5, criterion="sd-reduction")
        scores["former"] += former.fit(train).score(test) / 3
    assert scores["default"] > scores["former"] + 0.005


def test_predict_is_the_class_of_the_largest_probability() -> None:
    table = hornbeam.read("iris")
    noisy = table.take(np.random.default_rng(0).integers(0, 150, 214))
    fitted = hornbeam.TreeClassifier(leaf="m-estimate", m=20, min_samples_leaf=5).fit(noisy)
    shares = fitted.predict_proba(noisy)
    chosen = np.searchsorted(fitted.classes_, fitted.predict(noisy))
    assert (shares[np.arange(len(shares)), chosen] >= shares.max(axis=1) - 1e-12).all()


def test_a_forest_of_numbers_far_from_zero() -> None:
    x = np.random.default_rng(0).random((500, 2))
    for level in (1.7e9, 1e12):
        y = level + 20 * x[:, 0] + 10 * x[:, 1]
        assert hornbeam.RandomForestRegressor(20, random_state=0).fit(x, y).score(x, y) > 0.95


def test_class_weights_of_a_class_that_is_not_there_are_refused() -> None:
    table = hornbeam.read("iris")
    with pytest.raises(ValueError, match="zz"):
        hornbeam.C45Classifier(class_weight={"zz": 5}).fit(table)
    with pytest.raises(ValueError, match="class_weight"):
        hornbeam.C45Classifier(class_weight="x").fit(table)


# --- the command line -------------------------------------------------------------------------------------------------


def command(*arguments: object, folder: Path) -> str:
    """What a command prints; it must succeed."""
    done = ran(folder, *arguments)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout + done.stderr


def test_significance_and_why(tmp_path: Path) -> None:
    assert command("learn", "weather.nominal", "-s", "tree", "--significance", 0.5, "--why", "--cv", 0, folder=tmp_path)


def test_a_calibration_is_saved(tmp_path: Path) -> None:
    command("learn", "iris", "--cv", 0, "--coverage", 0.9, "--save", "m", folder=tmp_path)
    assert "90%" in command("show", "m", folder=tmp_path)


def test_costs_stay_in_a_model_and_its_estimator(tmp_path: Path) -> None:
    table = hornbeam.read("iris")
    costs = {"Iris-virginica": {"Iris-versicolor": 50}}
    fitted = hornbeam.C45Classifier(costs=costs).fit(table)
    fitted.save(tmp_path / "m")
    again = hornbeam.C45Classifier.from_model(hornbeam.load(tmp_path / "m"))
    assert again.predict(table).tolist() == fitted.predict(table).tolist()
    assert fitted.predict(table).tolist() != hornbeam.C45Classifier().fit(table).predict(table).tolist()


def test_a_tiny_target_gets_a_report(tmp_path: Path) -> None:
    rows = "\n".join(f"{i},{i % 7 * 1e-320}" for i in range(60))
    (tmp_path / "t.csv").write_text(f"x,y\n{rows}\n", encoding="utf-8")
    done = ran(tmp_path, "report", "t.csv", "-o", "r.html", "--cv", 3)
    assert "fault of the program" not in done.stderr


def test_an_identifier_is_told_on_a_small_table(tmp_path: Path) -> None:
    rows = "\n".join(f"D{i},{'yn'[i % 2]},{'yn'[i % 3 == 0]}" for i in range(1, 15))
    (tmp_path / "t.csv").write_text(f"Day,windy,play\n{rows}\n", encoding="utf-8")
    told = command("learn", "t.csv", "-s", "id3", "--cv", 0, folder=tmp_path)
    assert any("Day" in line and "identif" in line for line in told.splitlines()), told


# --- the process goes on ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "harm", ["X.indices[3] = -1", "X.indices[3] = 10**6", "X.indptr[2] = 10**9", "X.indptr[1] = -5"]
)
def test_a_malformed_sparse_matrix_is_refused(harm: str) -> None:
    apart(
        f"X = scipy.sparse.random(40, 30, 0.3, format='csr', random_state=0); {harm}\n"
        "linear = {'kernel': 'linear'}\n"
        "for options in ({}, linear, {'kernel': 'polynomial'}, {**linear, 'solver': 'planes'}):\n"
        "    try: hornbeam.SVMClassifier(**options).fit(X, y)\n"
        "    except ValueError: pass\n"
        "    else: raise SystemExit(3)"
    )


@pytest.mark.parametrize(
    "work",
    [
        "HierarchicalClustering(numeric='as-is').fit(X * 1e155)",
        "HierarchicalClustering().fit(X, sample_weight=np.full(40, 1.7e308))",
        "HierarchicalClustering(linkage='average').fit(X, sample_weight=np.full(40, 1e307))",
        "PrismClassifier(class_weight={'a': 1e308, 'b': 1e308}).fit(X, y)",
        "NeighborsClassifier().fit(X, y, sample_weight=np.full(40, 1.7e308)).predict_proba(X).sum()",
        "InductClassifier().fit(X, y, sample_weight=10.0 ** np.linspace(-15, 15, 40))",
        "SVMClassifier(probability=True).fit(X, y, sample_weight=np.full(40, 1.7e308))",
        "MixtureModel(2, covariance_type='full').fit(X * 1e307)",
        "MixtureModel(2, covariance_type='full').fit(np.random.default_rng(0).normal(size=(10, 5000)))",
    ],
)
def test_extreme_weights_and_values_give_a_result_or_a_sentence(work: str) -> None:
    apart(
        f"try: found = hornbeam.{work}\n"
        "except ValueError as error:\n"
        "    assert not isinstance(error, np.linalg.LinAlgError), repr(error)\n"
        "    assert 'weight' in str(error) or 'column' in str(error), repr(error)\n"
        "else: assert not isinstance(found, float) or np.isfinite(found)",
        seconds=100,
    )


@pytest.mark.parametrize(
    "learner", ["LinearRegressor", "PolynomialRegressor", "SVMRegressor", "LocallyWeightedRegressor"]
)
def test_a_category_per_row_ends_soon(learner: str) -> None:
    apart(
        "X = np.array([[f'id{i}', str(i % 3)] for i in range(5000)])\n"
        f"try: hornbeam.{learner}().fit(X, np.arange(5000.0)).predict(X[:5])\nexcept ValueError as error: print(error)"
    )


def test_model_trees_where_no_number_lies_between_two_values() -> None:
    apart(
        "for seed in range(6):\n"
        "    r = np.random.default_rng(seed)\n"
        "    hornbeam.M5Regressor(compat='weka').fit(1e16 + 2.0 * r.integers(0, 6, (25, 2)), r.normal(size=25))"
    )


def test_a_table_does_not_change_with_the_arrays_that_it_was_made_of() -> None:
    apart(
        "a = np.tile(np.array([0, 1, 2, 1], np.int32), 50)\n"
        "columns = hornbeam.Nominal('a', tuple('xyz')), hornbeam.Nominal('b', tuple('uv'))\n"
        "s = hornbeam.Schema(columns, ('feature', 'target'))\n"
        "t = hornbeam.Table(s, [a, (a == 1).astype(np.int32)]); a[:] = 10**8\n"
        "hornbeam.RandomForestClassifier(3).fit(t); assert t.columns[0].max() == 2"
    )


def test_a_support_vector_machine_can_be_pickled_after_it_has_predicted() -> None:
    apart(
        "import pickle; e = hornbeam.SVMClassifier().fit(X, y); e.predict(X); pickle.loads(pickle.dumps(e)).predict(X)"
    )


def test_ctrl_c_is_heard_by_a_long_fit() -> None:
    apart(
        "import signal, time\n"
        "r = np.random.default_rng(0); X = r.normal(size=(40_000, 6)); y = r.integers(0, 2, 40_000).astype(str)\n"
        "def stop(*_): raise KeyboardInterrupt\n"
        "signal.signal(signal.SIGPROF, stop)\n"
        "begin = time.process_time()\n"
        "signal.setitimer(signal.ITIMER_PROF, 1.0)  # seconds of work\n"
        "try: hornbeam.SVMClassifier().fit(X, y)\n"
        "except KeyboardInterrupt: pass\n"
        "else: raise SystemExit('not interrupted')\n"
        "assert time.process_time() - begin < 2.0, time.process_time() - begin",
        seconds=120,
    )


def test_a_crafted_file_of_sparse_support_vectors_is_refused(tmp_path: Path) -> None:
    sparse = pytest.importorskip("scipy.sparse")
    x = sparse.lil_matrix((6, 20000))
    x[:, 0] = np.arange(1, 7).reshape(-1, 1)
    hornbeam.SVMClassifier(gamma=0.5).fit(x.tocsr(), ["a", "b"] * 3).save(tmp_path / "m")

    def narrow(plain: Any) -> None:
        plain["svm"]["sparse_columns"] = 1

    (tmp_path / "n").write_bytes(changed((tmp_path / "m").read_bytes(), narrow))
    apart(
        f"try: model = hornbeam.load({str(tmp_path / 'n')!r})\n"
        "except ValueError as error: print(error)\n"
        "else: model.decisions(np.ones((1, 20000))); raise SystemExit(3)"
    )


def test_loading_a_file_does_not_learn(tmp_path: Path) -> None:
    hornbeam.LocallyWeightedClassifier(hornbeam.RipperClassifier(optimizations=3)).fit(hornbeam.read("iris")).save(
        tmp_path / "m"
    )

    def forever(plain: Any) -> None:
        text = json.dumps(plain)
        assert '"optimizations": 3' in text
        plain.clear()
        plain.update(json.loads(text.replace('"optimizations": 3', '"optimizations": 2147483647')))

    (tmp_path / "n").write_bytes(changed((tmp_path / "m").read_bytes(), forever))
    apart(f"try: hornbeam.load({str(tmp_path / 'n')!r})\nexcept ValueError as error: print(error)", seconds=25)


def test_a_saved_file_keeps_its_mode_and_a_link_stays(tmp_path: Path) -> None:
    fitted = hornbeam.C45Classifier().fit(hornbeam.read("iris"))
    fitted.save(tmp_path / "m")
    (tmp_path / "m").chmod(0o600)
    (tmp_path / "link").symlink_to(tmp_path / "m")
    fitted.save(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "m").stat().st_mode & 0o777 == 0o600


def test_long_csv_files_hold_large_whole_numbers_and_fractions(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    with path.open("w", encoding="utf-8") as file:
        file.write("x,c\n")
        file.write("9007199254740993,a\n" * 1_000_000)
        file.write("0.5,b\n")
    assert hornbeam.read(path, target="c").n_rows == 1_000_001
