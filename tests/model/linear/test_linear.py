"""Equations: what they answer, what they refuse, and what comes back from a file."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from hornbeam.data.schema import Nominal, Numeric, Schema, SchemaError
from hornbeam.data.table import Table
from hornbeam.export import json as as_json
from hornbeam.model.base.plain import ModelError, ModelFileError, UnseenCategoryWarning
from hornbeam.model.base.stored import Members
from hornbeam.model.files import storage
from hornbeam.model.linear.discretized import DiscretizedModel
from hornbeam.model.linear.linear import Factor, LinearModel, Term, evaluate
from hornbeam.model.rules.rule import rules_from_tree
from hornbeam.show import text

if TYPE_CHECKING:
    from pathlib import Path

    from hornbeam.model.trees.tree import Tree

NO_ARRAYS: Any = Members(lambda name, dtype: np.empty(0, dtype), lambda name: False, lambda name, plain: None)  # noqa: ARG005
SCHEMA = Schema(
    (Numeric("x"), Nominal("maker", ("us", "asia", "europe")), Numeric("z"), Numeric("y")),
    ("feature", "feature", "feature", "target"),
    "cars",
)
MODEL = LinearModel(
    SCHEMA,
    1.0,
    (
        Term.of(0, 2.0, fill=5.0),
        Term.of(1, 10.0, codes=(2, 1), fill=0.25),
        Term.of(1, 100.0, codes=(2,), fill=0.5),
        Term.of(0, 0.5, fill=5.0, power=2),
        Term(3.0, (Factor(0, fill=5.0), Factor(2, fill=-1.0, power=3))),
    ),
    (0.1, 0.2, 0.3, 0.4, 0.5),
    weight=12.0,
    error=48.0,
    recipe={"ridge": 1e-8, "selection": None},
)


def rows() -> Table:
    x = np.array([1.0, np.nan, 2.0, -1.0])
    maker = np.array([0, 1, 2, -1], np.int32)
    z = np.array([0.0, 2.0, np.nan, 1.0])
    return Table(SCHEMA, [x, maker, z, np.full(4, np.nan)])


def by_hand(x: float, maker: int, z: float) -> float:
    x = 5.0 if np.isnan(x) else x
    z = -1.0 if np.isnan(z) else z
    europe_or_asia = {-1: 0.25, 0: 0.0}.get(maker, 1.0)
    europe = {-1: 0.5, 2: 1.0}.get(maker, 0.0)
    return 1.0 + 2.0 * x + 10.0 * europe_or_asia + 100.0 * europe + 0.5 * x**2 + 3.0 * x * z**3


def test_an_answer_is_the_sum_of_the_terms() -> None:
    table = rows()
    expected = [by_hand(*values) for values in zip(*(c.tolist() for c in table.columns[:3]), strict=True)]
    assert MODEL.predict(table) == pytest.approx(expected)
    assert evaluate(MODEL.intercept, MODEL.terms, table) == pytest.approx(expected)
    assert sum(t.coefficient * t.values(table) for t in MODEL.terms) + 1.0 == pytest.approx(expected)
    MODEL.validate()
    assert MODEL.n_parameters == 6
    assert [term.degree for term in MODEL.terms] == [1, 1, 1, 2, 4]


def test_columns_are_found_by_name_and_unseen_categories_are_missing() -> None:
    table = rows()
    turned = table.select([2, 0, 1])
    assert (MODEL.predict(turned) == MODEL.predict(table)).all()
    columns = [SCHEMA.columns[0], Nominal("maker", ("mars",)), SCHEMA.columns[2]]
    other = Table(Schema(tuple(columns)), [table.columns[0], np.zeros(4, np.int32), table.columns[2]])
    gone = Table(SCHEMA, [table.columns[0], np.full(4, -1, np.int32), *table.columns[2:]])
    with pytest.warns(UnseenCategoryWarning):
        assert (MODEL.predict(other) == MODEL.predict(gone)).all()


def test_a_matrix_is_enough_where_all_features_are_numbers() -> None:
    schema = Schema((Numeric("a"), Numeric("y"), Numeric("b")), ("feature", "target", "feature"))
    model = LinearModel(schema, 1.0, (Term.of(2, 2.0, fill=7.0),))
    assert model.all_numeric
    assert model.predict_codes([[9.0, 1.0], [9.0, np.nan]]).tolist() == [3.0, 15.0]
    assert LinearModel(schema, 4.0).predict_codes(np.zeros((3, 2))).tolist() == [4.0] * 3
    with pytest.raises(ValueError, match="rows x 2 features"):
        model.predict_codes([[1.0]])
    assert not MODEL.all_numeric
    with pytest.raises(SchemaError, match="'maker' is nominal"):
        MODEL.predict_codes(np.zeros((1, 3)))


def test_a_sum_that_is_no_number_is_refused_by_its_row() -> None:
    table = rows()
    wild = Table(SCHEMA, [np.array([1.0, 1e200, 1.0, 1.0]), *table.columns[1:]])
    with pytest.raises(ModelError, match="row 2"):
        MODEL.predict(wild)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"intercept": float("nan")}, "intercept of an equation is nan"),
        ({"terms": (Term.of(0, float("inf")),)}, "term 1 .* coefficient inf"),
        ({"terms": (Term(1.0, ()),)}, "no factor"),
        ({"terms": (Term.of(9, 1.0),)}, "uses column 9"),
        ({"terms": (Term.of(-1, 1.0),)}, "uses column -1"),
        ({"terms": (Term.of(3, 1.0),)}, "not a feature"),
        ({"terms": (Term.of(1, 1.0),)}, "'maker' as numeric"),
        ({"terms": (Term.of(0, 1.0, codes=(0,)),)}, "'x' as nominal"),
        ({"terms": (Term.of(1, 1.0, codes=(3,)),)}, "outside the 3 categories"),
        ({"terms": (Term.of(1, 1.0, codes=(1, 1)),)}, "twice"),
        ({"terms": (Term.of(0, 1.0, fill=float("nan")),)}, "fills missing values"),
        ({"terms": (Term.of(0, 1.0, power=0),)}, "power 0"),
        ({"terms": (Term.of(1, 1.0, codes=(0,), power=2),)}, "power 2"),
        ({"standardized": (1.0,)}, "1 standardized coefficients"),
        ({"weight": -1.0}, "weight of a linear model"),
        ({"schema": SCHEMA.assign({3: "ignored", 1: "target"})}, "'maker' is nominal"),
    ],
)
def test_what_contradicts_itself_is_refused(changed: dict[str, Any], message: str) -> None:
    model = replace(MODEL, **changed)
    with pytest.raises(ModelError, match=message):
        model.validate()
    with pytest.raises(ModelError):
        storage.to_bytes(model)


def test_saved_and_loaded_it_is_the_same(tmp_path: Path) -> None:
    path = tmp_path / "equation.hornbeam"
    storage.save(MODEL, path, {"scheme": "LinearRegressor"})
    found = storage.load(path)
    assert found.same_as(MODEL)
    assert (found.predict(rows()) == MODEL.predict(rows())).all()
    assert storage.read_trace(path) is None
    assert not found.same_as(replace(MODEL, intercept=2.0))
    assert not found.same_as(None)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("intercept",), None),
        (("intercept",), True),
        (("terms",), {}),
        (("terms", 0), []),
        (("terms", 0, "coefficient"), "1"),
        (("terms", 0, "factors"), 1),
        (("terms", 0, "factors", 0, "column"), 1.5),
        (("terms", 0, "factors", 0, "column"), 2**40),
        (("terms", 1, "factors", 0, "codes"), [0, "1"]),
        (("terms", 0, "factors", 0, "power"), 10**6),
        (("terms", 0, "factors", 0, "fill"), 10**400),
        (("standardized",), 1.0),
        (("recipe",), [1]),
    ],
)
def test_a_stranger_s_plain_data_is_refused(path: tuple[Any, ...], value: Any) -> None:
    plain = json.loads(json.dumps(MODEL.to_plain()))
    place = plain
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    with pytest.raises(ModelError):
        LinearModel.from_file(plain, SCHEMA, NO_ARRAYS).validate()


def test_names_are_harmless_where_shown() -> None:
    schema = Schema(
        (Numeric("a\n\x1b[31m"), Nominal("b", ("p\x07", "q")), Numeric("y")), ("feature",) * 2 + ("target",)
    )
    model = LinearModel(schema, 0.0, (Term.of(0, 1.0), Term.of(1, -1.0, codes=(0,))))
    for style in ("default", "weka"):
        told = text(model, style=style)
        assert "\x1b" not in told
        assert "\x07" not in told
    assert list(model.coefficients()) == ["intercept", "a\\n\\x1b[31m", "b = p\\x07"]


def test_the_default_text() -> None:
    assert text(MODEL).splitlines() == [
        "y = 1                            standardized",
        "  +   2 x                                 0.1",
        "  +  10 maker in {europe, asia}           0.2",
        "  + 100 maker = europe                    0.3",
        "  + 0.5 x^2                               0.4",
        "  +   3 x * z^3                           0.5",
        "",
        "5 terms, learned from rows of weight 12; root mean squared error there 2",
    ]
    assert text(LinearModel(SCHEMA, -2.0)) == "y = -2\n\n0 terms"
    with pytest.raises(ValueError, match="a linear model can be printed in these styles"):
        text(MODEL, style="rpart")
    with pytest.raises(ValueError, match="max_depth"):
        text(MODEL, max_depth=1)


def test_json_has_names() -> None:
    told = json.loads(as_json(MODEL))
    assert told["kind"] == "linear"
    assert told["target"] == "y"
    assert told["terms"][1] == {
        "coefficient": 10.0,
        "standardized": 0.2,
        "factors": [{"column": "maker", "fill": 0.25, "categories": ["europe", "asia"]}],
    }
    assert [factor["power"] for factor in told["terms"][4]["factors"]] == [1, 3]


def discretized(tree: Tree) -> DiscretizedModel:
    columns = (*tree.schema.columns[:-1], Numeric("play"))
    return DiscretizedModel(replace(tree.schema, columns=columns), tree, np.array([10.0, 20.0]), 15.0)


def test_numbers_by_way_of_classes(weather: Tree, tmp_path: Path) -> None:
    model = discretized(weather)
    table = Table(weather.schema, [np.array([0, 1, -1]), np.array([70.0, 90, 90]), np.array([0, 0, 0]), np.zeros(3)])
    expected = weather.predict_proba(table) @ [10.0, 20.0]
    assert model.predict(table) == pytest.approx(expected)
    path = tmp_path / "by-classes.hornbeam"
    storage.save(model, path)
    found = storage.load(path)
    assert found.same_as(model)
    assert (found.predict(table) == model.predict(table)).all()
    by_rules = replace(model, classifier=rules_from_tree(weather))
    storage.save(by_rules, path)
    assert storage.load(path).same_as(by_rules)
    assert not storage.load(path).same_as(model)
    assert "play: the mean of these" in text(model)
    assert "yes" in text(model, style="weka")


def test_a_classifier_of_other_classes_or_columns_is_refused(weather: Tree) -> None:
    model = discretized(weather)
    for wrong, message in (
        (replace(model, values=np.zeros(3)), "3 numbers were given"),
        (replace(model, default=np.nan), "not a finite number"),
        (replace(model, schema=weather.schema), "is nominal"),
        (
            replace(model, schema=replace(model.schema, columns=(Numeric("q"), *model.schema.columns[1:]))),
            "other columns",
        ),
    ):
        with pytest.raises(ModelError, match=message):
            wrong.validate()
    data = storage.to_bytes(model)
    with pytest.raises(ModelFileError):
        storage.from_bytes(data.replace(b'"kind":"tree"', b'"kind":"twig"'))
