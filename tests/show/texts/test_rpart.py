"""The style `rpart`, byte for byte: numbers against what R writes, layout against every stored text."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import evidence
from oracle.trees.rpart_answers import SCHEMES
from show.planting import Fork, Leaf, plant

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.model.trees.split import CODE_SETS, CODES, CUTS
from hornbeam.show import text
from hornbeam.show.texts.trees.rpart_text import alike, rounded

if TYPE_CHECKING:
    from pathlib import Path

    from hornbeam.model.trees.tree import Tree

IRIS = """\
n= 150 

node), split, n, loss, yval, (yprob)
      * denotes terminal node

1) root 150 100 Iris-setosa (0.33333333 0.33333333 0.33333333)  
  2) petallength< 2.45 50   0 Iris-setosa (1.00000000 0.00000000 0.00000000) *
  3) petallength>=2.45 100  50 Iris-versicolor (0.00000000 0.50000000 0.50000000)  
    6) petalwidth< 1.75 54   5 Iris-versicolor (0.00000000 0.90740741 0.09259259) *
    7) petalwidth>=1.75 46   1 Iris-virginica (0.00000000 0.02173913 0.97826087) *"""  # noqa: W291 - as R prints it

# What R 4.2 gives for format(signif(x, 7)) and for format(x, digits = 7, nsmall = 7).
AS_R = [
    ([100000.0], ["1e+05"], ["1e+05"]),
    ([100000.0, 1.0], ["1e+05", "1e+00"], ["1e+05", "1e+00"]),
    ([123456.0, 0.0], ["123456", "     0"], ["123456.0000000", "     0.0000000"]),
    ([0.1, 100.0], ["  0.1", "100.0"], ["  0.1000000", "100.0000000"]),
    ([1 / 3, 2 / 3], ["0.3333333", "0.6666667"], ["0.3333333", "0.6666667"]),
    ([1.234567891e-05, 0.5], ["1.234568e-05", "5.000000e-01"], ["1.234568e-05", "5.000000e-01"]),
    ([1e15 + 1], ["1e+15"], ["1e+15"]),
    ([0.0], ["0"], ["0.0000000"]),
    ([-0.5, 100000.0], ["-5e-01", " 1e+05"], ["-5e-01", " 1e+05"]),
    ([1234567.5], ["1234568"], ["1234567.5000000"]),
    ([1234566.5], ["1234566"], ["1234566.5000000"]),
    ([99999.99999], ["1e+05"], ["1e+05"]),
    ([1e100, 1.0], ["1e+100", " 1e+00"], ["1e+100", " 1e+00"]),
    ([1e-310], ["1e-310"], ["1e-310"]),
    ([77531.425], ["77531.42"], ["77531.4250000"]),
    ([1.0171595, 6.3439205], ["1.01716", "6.34392"], ["1.0171595", "6.3439205"]),
    (
        [110.97966, -1540.4187, -34.254072],
        ["  110.97970", "-1540.41900", "  -34.25407"],
        ["  110.9796600", "-1540.4187000", "  -34.2540720"],
    ),
]


@pytest.mark.parametrize(("values", "significant", "decimals"), AS_R)
def test_numbers_are_written_as_r_writes_them(values: list[float], significant: list[str], decimals: list[str]) -> None:
    assert alike([rounded(value) for value in values]) == significant
    assert alike(values, decimals=7) == decimals


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_numbers_written_alike_keep_seven_digits(values: list[float]) -> None:
    told = alike(values)
    assert len({len(text) for text in told}) == 1
    for value, written in zip(values, told, strict=True):
        assert float(written) == pytest.approx(value, rel=5.1e-7)


def iris() -> Tree:
    columns = (Numeric("petallength"), Numeric("petalwidth"))
    schema = Schema((*columns, Nominal("class", ("Iris-setosa", "Iris-versicolor", "Iris-virginica"))))
    wide = Fork(1, CUTS, [1.75], [Leaf([0, 49, 5]), Leaf([0, 1, 45])], equal_low=False)
    return plant(schema.assign({"class": "target"}), Fork(0, CUTS, [2.45], [Leaf([50, 0, 0]), wide], equal_low=False))


def test_iris() -> None:
    assert text(iris(), style="rpart") == IRIS


def lines(tree: Tree) -> list[str]:
    return text(tree, style="rpart").split("\n")[5:]


def two_classes(column: Numeric | Nominal, *more: Numeric | Nominal, classes: tuple[str, ...] = ("a", "b")) -> Schema:
    return Schema((column, *more, Nominal("y", classes))).assign({"y": "target"})


def test_the_first_branch_stands_first_also_where_it_lies_above_the_cut() -> None:
    branches = [Leaf([9, 2]), Leaf([1, 8])]
    tree = plant(two_classes(Numeric("x")), Fork(0, CUTS, [1.5], branches, equal_low=False, flipped=True))
    assert lines(tree) == [
        "1) root 20 10 a (0.5000000 0.5000000)  ",
        "  2) x>=1.5 11  2 a (0.8181818 0.1818182) *",
        "  3) x< 1.5 9  1 b (0.1111111 0.8888889) *",
    ]


def test_where_equal_values_go_low_the_signs_say_so() -> None:
    tree = plant(two_classes(Numeric("x")), Fork(0, CUTS, [1.5], [Leaf([9, 1]), Leaf([1, 9])], equal_low=True))
    assert [line.split(") ")[1].split(" 10")[0] for line in lines(tree)[1:]] == ["x<=1.5", "x> 1.5"]


def test_classes_without_rows_are_not_known() -> None:
    schema = two_classes(Numeric("x"), classes=("a", "unused", "b"))
    assert lines(plant(schema, Leaf([5, 0, 9]))) == ["1) root 14 5 b (0.3571429 0.6428571) *"]


def test_many_classes_get_two_digits_each() -> None:
    schema = two_classes(Numeric("x"), classes=tuple("abcde"))
    assert lines(plant(schema, Leaf([1, 30, 100, 0.25, 211]))) == [
        "1) root 343 131.25 e (0.0029 0.088 0.29 0.00073 0.62) *"
    ]


def test_categories_are_listed_and_those_not_seen_left_out() -> None:
    schema = two_classes(Nominal("c", ("p", "q", "r", "s")))
    tree = plant(schema, Fork(0, CODES, [1, 0, -1, 1], [Leaf([5, 0]), Leaf([0, 5])]))
    assert [line.split()[1] for line in lines(tree)] == ["root", "c=q", "c=p,s"]
    listed = plant(schema, Fork(0, CODE_SETS, ([1, 2], [0, 0], 1), [Leaf([5, 0]), Leaf([0, 5])]))
    assert [line.split()[1] for line in lines(listed)] == ["root", "c=q,r", "c=p,s"]


def test_an_ordered_column_is_told_by_its_categories() -> None:
    schema = two_classes(Nominal("z", ("s", "m", "l"), ordered=True))
    tree = plant(schema, Fork(0, CUTS, [1.5], [Leaf([100, 20]), Leaf([0, 80])], equal_low=False))
    assert lines(tree) == [
        "1) root 200 100 a (0.5000000 0.5000000)  ",
        "  2) z=s,m 120  20 a (0.8333333 0.1666667) *",
        "  3) z=l 80   0 b (0.0000000 1.0000000) *",
    ]


def test_a_number_has_deviance_and_mean() -> None:
    schema = Schema((Numeric("x"), Numeric("y"))).assign({"y": "target"})
    branches = [Leaf([40, -3.0, 0]), Leaf([30, 0.001, 1.184898e-35])]
    fork = Fork(0, CUTS, [30.5], branches, equal_low=False, flipped=True)
    tree = plant(schema, fork, {"omitted_rows": 32})
    assert text(tree, style="rpart") == (
        "n=70 (32 observations deleted due to missingness)\n\n"
        "node), split, n, deviance, yval\n      * denotes terminal node\n\n"
        "1) root 70 1.543886e+02 -1.713857  \n"
        "  2) x>=30.5 40 0.000000e+00 -3.000000 *\n"
        "  3) x< 30.5 30 1.184898e-35  0.001000 *"
    )


def test_one_row_left_out_is_one_observation() -> None:
    tree = plant(two_classes(Numeric("x")), Leaf([9, 5]), {"omitted_rows": 1})
    assert text(tree, style="rpart").startswith("n=14 (1 observation deleted due to missingness)\n")


def test_more_than_two_branches_are_refused() -> None:
    fork = Fork(0, CODES, [0, 1, 2], [Leaf([1, 0]), Leaf([0, 1]), Leaf([1, 0])])
    with pytest.raises(ValueError, match="binary trees only; node 0, which splits on 'c', has 3 branches"):
        text(plant(two_classes(Nominal("c", ("p", "q", "r"))), fork), style="rpart")
    with pytest.raises(ValueError, match="prints whole trees"):
        text(iris(), style="rpart", max_depth=1)


# --- stored texts, read into a tree and written again -------------------------------------------------------------

CLASS_LINE = re.compile(r"^ *(\d+)\) (.*) (\d+) +(\S+) (.+?) \(([^()]*)\) [* ]$")
NUMBER_LINE = re.compile(r"^ *(\d+)\) (.*) (\d+) +(\S+) +(\S+) [* ]$")
CUT = re.compile(r"^(.*)(< |>=)(-?[\d.]+(?:e[+-]\d+)?)$")
IN_FULL = 4  # classes; of more than these only two digits of their shares are printed


def read_stored(body: str, schema: Schema) -> Tree:
    """Read a text back into a tree with the figures that it prints."""
    target = schema.target_column
    classes = isinstance(target, Nominal)
    rest = body.split("\n")[5:]
    matches = [(CLASS_LINE if classes else NUMBER_LINE).match(line) for line in rest]
    printed = {int(match[1]): match.groups()[1:] for match in matches if match}
    assert len(printed) == len(rest)
    numbers: dict[int, int] = {}  # by the identity of a planted node
    occurring = codes_of(target, printed) if classes else []

    def grow(k: int) -> Leaf | Fork:
        _, rows, loss, answer, *shares = printed[k]
        counts = [float(rows), float(answer), float(loss)] if not classes else [0.0] * len(target.categories)
        for code, share in zip(occurring, shares[0].split() if shares else (), strict=True):
            counts[code] = float(share) * int(rows)
            if len(occurring) <= IN_FULL:
                counts[code] = round(counts[code])
        if 2 * k in printed:
            node: Leaf | Fork = fork(printed[2 * k][0], printed[2 * k + 1][0], [grow(2 * k), grow(2 * k + 1)], counts)
        else:
            node = Leaf(counts, target.categories.index(answer) if classes else None)
        numbers[id(node)] = k
        return node

    def fork(first: str, second: str, children: list[Leaf | Fork], counts: list[float]) -> Fork:
        cut = CUT.match(first)
        if cut and cut[1] in schema.names:
            place, flipped = schema.position(cut[1]), cut[2] != "< "
            return Fork(place, CUTS, [float(cut[3])], children, equal_low=False, counts=counts, flipped=flipped)
        name = next(name for name in schema.names if first.startswith(f"{name}=") and second.startswith(f"{name}="))
        column = schema.columns[schema.position(name)]
        assert isinstance(column, Nominal)
        sides = [listed(side.removeprefix(f"{name}="), column) for side in (first, second)]
        table = [0 if code in sides[0] else 1 if code in sides[1] else -1 for code in range(len(column.categories))]
        return Fork(schema.position(name), CODES, table, children, counts=counts)

    root = grow(1)
    deleted = re.search(r"\((\d+) observation", body)
    tree = plant(schema, root, {"omitted_rows": int(deleted[1])} if deleted else {})
    planted = {0: root}
    for node in range(tree.n_nodes):
        here = planted[node]
        if isinstance(here, Fork):
            planted |= dict(enumerate(here.children, start=int(tree.first_child[node])))
    told = [printed[numbers[id(planted[node])]] for node in range(tree.n_nodes)]
    tree.rows[:] = [int(groups[1]) for groups in told]
    tree.error[:] = [float(groups[2]) for groups in told]
    if classes:
        tree.label[:] = [target.categories.index(groups[3]) for groups in told]
    return tree


def codes_of(target: Nominal, printed: dict[int, tuple[str, ...]]) -> list[int]:
    """The classes that the text knows: those that no row has are unknown to it."""
    labels = {groups[3] for groups in printed.values()}
    unnamed = [code for code, name in enumerate(target.categories) if name not in labels]
    surplus = len(target.categories) - len(printed[1][4].split())
    left_out = unnamed[len(unnamed) - surplus :]
    return [code for code in range(len(target.categories)) if code not in left_out]


def listed(words: str, column: Nominal) -> set[int]:
    """Codes of a list of categories, whose names may hold commas."""
    found = set()
    for code, name in enumerate(column.categories):
        if words == name or words.startswith(f"{name},"):
            found.add(code)
            words = words.removeprefix(name).removeprefix(",")
    assert not words
    return found


@cache
def schema_of(arff: Path) -> Schema:
    """The schema of a set, with the underscores that the other program was given for blanks."""
    table = hornbeam.read(arff, target=-1)
    columns = [
        Numeric(column.name.replace(" ", "_"))
        if isinstance(column, Numeric)
        else Nominal(column.name.replace(" ", "_"), tuple(name.replace(" ", "_") for name in column.categories))
        for column in table.schema.columns
    ]
    return Schema(tuple(columns), table.schema.roles)


# With the 26 classes of letter and nodes of hundreds of rows, the two digits of a probability do not say which branch
# has the lower mean class.
@pytest.mark.parametrize(
    ("scheme", "data"),
    [(scheme, data) for scheme in SCHEMES for data in evidence.answered(scheme) if data != "letter"],
)
def test_a_stored_text_is_written_as_it_was_read(scheme: str, data: str) -> None:
    body = evidence.answers(scheme, data)["model"].removesuffix("\n")
    tree = read_stored(body, schema_of(evidence.arff(data)))
    shares = re.compile(r" \([^()]*\) (?=[* ]$)", re.MULTILINE)
    many = tree.task == "classification" and len(shares.findall(body)[0].split()) > IN_FULL
    written = text(tree, style="rpart")
    if many:  # two digits do not tell the counts
        written, body = shares.sub(" ", written), shares.sub(" ", body)
    assert written == body
