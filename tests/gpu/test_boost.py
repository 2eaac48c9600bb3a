"""Boosting as the GPU does it gives the trees of the compiled kernel, bit for bit."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.gpu_boosting import Twin

import hornbeam
from hornbeam.core.forests.boost.boost import LOSSES, Booster, sample_rows
from hornbeam.gpu import boost, device

OPTIONS = {
    "l1": 0.0, "l2": 0.0, "min_weight": 5.0, "min_curve": 0.0, "min_gain": 0.0, "max_leaves": 12, "max_depth": -1,
    "shrink": 0.3, "nominal_smoothing": 1.0, "category_charge": 2 / np.pi, "most_sums": 2**30, "seed": 3,
    "n_threads": 1,
}  # fmt: skip
SUPPORTED = [loss for loss in LOSSES if loss not in {"absolute", "quantile"}]


@st.composite
def problems(draw: Any) -> Any:
    seed = draw(st.integers(0, 2**32 - 1))
    random = np.random.default_rng(seed)
    n, p = draw(st.integers(2, 300)), draw(st.integers(1, 6))
    n_codes = random.integers(1, draw(st.sampled_from([3, 12, 255])) + 1, p).astype(np.int32)
    has_missing = random.random(p) < 0.4
    nominal = random.random(p) < draw(st.sampled_from([0.0, 0.5]))
    codes = (random.random((p, n)) ** 2 * n_codes[:, None]).astype(np.uint8)
    codes = np.where((random.random((p, n)) < 0.2) & has_missing[:, None], n_codes[:, None], codes).astype(np.uint8)
    loss = draw(st.sampled_from(SUPPORTED))
    wave = np.sin(codes[0] / 3.0) + random.normal(size=n) * 0.3
    n_outputs = 1
    if loss == "logistic":
        target = (wave > 0.2).astype(np.float64)
    elif loss == "multinomial":
        n_outputs = 3
        target = np.digitize(wave, [-0.5, 0.5]).astype(np.float64)
    else:
        target = np.round(np.abs(wave) * 4) if loss == "poisson" else wave * 7
    monotone = ()
    if n_outputs == 1 and draw(st.booleans()):
        monotone = tuple(int(way) for way in random.integers(-1, 2, p) * ~nominal)
    options = OPTIONS | {
        "l1": draw(st.sampled_from([0.0, 0.5])),
        "l2": draw(st.sampled_from([0.0, 1.0])),
        "min_weight": draw(st.sampled_from([0.0, 1.0, 5.0, 20.0])),
        "min_curve": 1e-3 if loss in {"logistic", "multinomial"} else 0.0,
        "max_leaves": draw(st.sampled_from([2, 7, 31, 100])),
        "max_depth": draw(st.sampled_from([-1, 2])),
        "seed": seed,
    }
    columns = (codes, {}, n_codes, has_missing, nominal, monotone)
    return (*columns, target, None, LOSSES.index(loss), n_outputs, options), draw(st.sampled_from([1.0, 0.6]))


def trees(engine: Any, problem: Any, share: Any, rounds: Any) -> Any:
    booster = engine(*problem)
    n, n_outputs, seed = len(problem[6]), problem[9], problem[10]["seed"]
    booster.start(np.linspace(0.1, 0.4, n_outputs)[:, None])
    grown = []
    for turn in range(rounds):
        if share < 1.0:
            used, others = sample_rows(np.zeros(n, np.uint8), share, seed, turn)
            if not len(used):
                break
            booster.use(used, others)
        if n_outputs > 1:
            booster.take_probabilities()
        for output in range(n_outputs):
            booster.slopes(output, 1.5, turn * n_outputs + output)
            grown.append(booster.grow(output, 0.5))
    return grown, booster.scores_of(slice(None))


def assert_same(problem: Any, share: Any, rounds: int = 3) -> None:
    expected, scores = trees(Booster, problem, share, rounds)
    found, found_scores = trees(Twin, problem, share, rounds)
    for one, other in zip(expected, found, strict=True):
        for name in boost.ARRAYS:
            assert one[name].dtype == other[name].dtype
            assert one[name].tobytes() == other[name].tobytes(), name
    assert scores.tobytes() == found_scores.tobytes()


@settings(max_examples=60)
@given(problems())
def test_drawn_problems(drawn: Any) -> None:
    problem, share = drawn
    assert_same(problem, share)


@pytest.mark.parametrize("loss", SUPPORTED)
def test_sums_over_several_chunks_of_rows(loss: Any) -> None:
    random = np.random.default_rng(5)
    codes = random.integers(0, 40, (3, 20_000)).astype(np.uint8)
    target = (codes[0] > 20).astype(np.float64) + (random.random(20_000) < 0.1) * (loss != "logistic")
    n_outputs = 3 if loss == "multinomial" else 1
    options = OPTIONS | {"min_curve": 1e-3, "min_weight": 30.0}
    nominal = np.array([False, True, False])
    problem = (codes, {}, np.full(3, 40, np.int32), np.zeros(3, bool), nominal, (), target, None, LOSSES.index(loss),
               n_outputs, options)  # fmt: skip
    assert_same(problem, 1.0, rounds=2)


# ---- what users see without a GPU ----


@pytest.fixture(name="_without_cupy")
def without_cupy(monkeypatch: Any) -> Any:
    def missing() -> Any:
        msg = "device='cuda' needs CuPy; install it with: pip install 'hornbeam[gpu]'"
        raise ImportError(msg)

    monkeypatch.setattr(device, "cupy", missing)


@pytest.mark.usefixtures("_without_cupy")
def test_a_missing_package_is_named() -> None:
    with pytest.raises(ImportError, match=r"pip install 'hornbeam\[gpu\]'"):
        hornbeam.GradientBoostingClassifier(2, device="cuda").fit(hornbeam.read("iris"))


@pytest.mark.usefixtures("_without_cupy")
def test_auto_learns_without_a_gpu(monkeypatch: Any) -> None:
    monkeypatch.setattr(device, "LEAST_CELLS", 1)
    iris = hornbeam.read("iris")
    found = hornbeam.GradientBoostingClassifier(2, device="auto").fit(iris).predict(iris)
    assert list(found) == list(hornbeam.GradientBoostingClassifier(2).fit(iris).predict(iris))


def test_an_unknown_device() -> None:
    with pytest.raises(ValueError, match="device is 'gpu'; expected one of 'cpu', 'cuda', 'auto'"):
        hornbeam.GradientBoostingRegressor(2, device="gpu").fit([[1.0], [2.0]], [1.0, 2.0])


@pytest.mark.parametrize(
    ("estimator", "weights", "message"),
    [
        (
            hornbeam.GradientBoostingRegressor(2, loss="absolute", device="cuda"),
            None,
            "does not support loss='absolute'",
        ),
        (hornbeam.GradientBoostingRegressor(2, device="cuda"), [1.0, 2.0, 3.0], "row weights or class weights"),
    ],
)
def test_an_option_that_is_not_supported_is_named(estimator: Any, weights: Any, message: Any) -> None:
    with pytest.raises(ValueError, match=message):
        estimator.fit([[1.0], [2.0], [3.0]], [1.0, 2.0, 4.0], weights)


def test_columns_with_too_many_categories_are_named() -> None:
    names = [f"c{i}" for i in range(600)]
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"town": pandas.Categorical(names), "size": range(600)})
    with pytest.raises(ValueError, match=r"more than 256 categories \(town\)"):
        hornbeam.GradientBoostingRegressor(2, device="cuda").fit(frame, np.arange(600.0))


def test_kernels_and_python_agree_on_sizes() -> None:
    source = "\n".join((device.files("hornbeam.gpu") / "kernels" / name).read_text() for name in boost.SOURCES)
    for name in ("BINS", "CHUNK", "TILE", "COLUMNS_AT_ONCE", "AT_ONCE"):
        assert f"#define {name} {getattr(boost, name)}" in source
    assert boost.STATE.fields["total"][1] == 8 * boost.TOTAL_AT
