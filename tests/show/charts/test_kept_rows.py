"""The picture of kept rows: which are drawn as what, the areas behind them, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import hornbeam
from hornbeam.cli.main import app
from hornbeam.data.table import Table

pytest.importorskip("matplotlib")
from click.testing import CliRunner

from hornbeam.show import plot

if TYPE_CHECKING:
    from pathlib import Path


def petals() -> Table:
    iris = hornbeam.read("iris")
    return iris.take(np.random.default_rng(3).permutation(150)).select([2, 3, 4])


def legend(axes: Any) -> list[str]:
    return [text.get_text() for text in axes.get_legend().get_texts()]


def counts(axes: Any) -> dict[str, int]:
    """Points drawn, by their size."""
    found = {"large": 0, "small": 0}
    for points in axes.collections:
        found["small" if points.get_sizes()[0] < 20 else "large"] += len(points.get_offsets())
    return found


def test_rows_are_drawn_by_what_became_of_them() -> None:
    table = petals()
    learner = hornbeam.IB2Classifier().fit(table)
    axes = plot.kept_rows(learner, table)
    kept = len(learner.kept_rows_)
    assert legend(axes)[-2:] == [f"not kept: {150 - kept}", f"kept: {kept}"]
    assert counts(axes) == {"large": kept, "small": 150 - kept}
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("petallength", "petalwidth")
    assert legend(plot.kept_rows(learner.model_))[-1] == f"kept: {kept}"  # without a table, the kept rows alone


def test_noise_and_rows_without_a_record_are_told_apart() -> None:
    votes = hornbeam.read("vote")
    learner = hornbeam.IB3Classifier().fit(votes)
    columns = ("physician-fee-freeze", "crime")
    told = legend(plot.kept_rows(learner, votes, columns))
    answering, noisy = learner.model_.kept.n_rows, len(learner.noisy_rows_)
    waiting = len(learner.kept_rows_) - answering
    assert told[2:] == [
        f"not kept: {435 - answering - waiting - noisy}", f"kept, not used yet: {waiting}", f"kept: {answering}",
        f"dropped as noise: {noisy}",
    ]  # fmt: skip
    # of another table nothing is known but its rows
    told = legend(plot.kept_rows(learner, votes.take(range(100)), columns))
    assert told[2:] == ["not kept: 100", f"kept: {answering}"]


def test_areas_are_the_answers_of_the_model() -> None:
    table = petals()
    learner = hornbeam.IB2Classifier().fit(table)
    axes = plot.kept_rows(learner, table)
    (image,) = axes.images
    picture, (left, right, low, high) = image.get_array(), image.get_extent()
    n = picture.shape[0]
    asked = np.random.default_rng(0).integers(0, n, (50, 2))
    x, y = left + (asked[:, 0] + 0.5) * (right - left) / n, low + (asked[:, 1] + 0.5) * (high - low) / n
    rows = Table(table.schema.select([0, 1]), [x, y])
    colors = {tuple(np.asarray(picture[b, a]).round(6)) for a, b in asked}
    codes = learner.model_.predict_codes(rows)
    assert len(colors) == len(set(codes.tolist()))
    for code in set(codes.tolist()):
        assert len({tuple(np.asarray(picture[b, a])) for (a, b), c in zip(asked, codes, strict=True) if c == code}) == 1


def test_other_columns_are_in_the_middle_or_as_given() -> None:
    iris = hornbeam.read("iris")
    learner = hornbeam.NeighborsClassifier(n_neighbors=3).fit(iris)
    middle = plot.kept_rows(learner, columns=("petallength", "sepalwidth"))
    assert middle.get_title(loc="right") == "areas: other columns at typical values"
    given = plot.kept_rows(learner, columns=("petallength", "sepalwidth"), given={"petalwidth": 0.1})
    assert given.get_title(loc="right") == "areas: other columns as given, or typical"
    assert not np.array_equal(middle.images[0].get_array(), given.images[0].get_array())


def test_what_cannot_be_drawn_is_refused() -> None:
    iris = hornbeam.read("iris")
    learner = hornbeam.IB2Classifier().fit(iris)
    with pytest.raises(ValueError, match=r"4 columns \('sepallength', .*name the two to draw"):
        plot.kept_rows(learner)
    with pytest.raises(ValueError, match="'class' is not a feature"):
        plot.kept_rows(learner, columns=("class", "petalwidth"))
    with pytest.raises(TypeError, match="cannot draw the kept rows of a Tree"):
        plot.kept_rows(hornbeam.C45Classifier().fit(iris))
    with pytest.raises(TypeError, match="is numeric; kept rows are drawn by class"):
        plot.kept_rows(hornbeam.NeighborsRegressor().fit(hornbeam.read("cpu")))
    votes = hornbeam.IB2Classifier().fit(hornbeam.read("vote"))
    with pytest.raises(ValueError, match="has no category 'perhaps'"):
        plot.kept_rows(votes, columns=("crime", "immigration"), given={"mx-missile": "perhaps"})


def test_the_command_line_draws_them(tmp_path: Path) -> None:
    run = CliRunner()
    model, picture = str(tmp_path / "ib3.hornbeam"), tmp_path / "ib3.svg"
    assert run.invoke(app, ["learn", "vote", "--scheme", "ib3", "--cv", "0", "--save", model]).exit_code == 0
    columns = ["--columns", "crime", "physician-fee-freeze"]
    drawn = run.invoke(app, ["show", model, "--to", "space", *columns, "--data", "vote", "-o", str(picture)])
    assert drawn.exit_code == 0, drawn.output
    assert "dropped as noise: 13" in picture.read_text(encoding="utf-8")
    assert run.invoke(app, ["show", model, "--to", "space", "-o", str(picture)]).exit_code != 0
