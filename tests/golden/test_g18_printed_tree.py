"""G18: a tree printed in rpart's form: ``node), split, n, loss, yval, (yprob)``, and ``*`` at terminal nodes."""

from __future__ import annotations

from show.planting import Fork, Leaf, plant

from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.model.trees.split import CUTS
from hornbeam.show import text

# What R prints for its best-known example, children after an operation on the spine.
PRINTED = [
    "n= 81 ",
    "",
    "node), split, n, loss, yval, (yprob)",
    "      * denotes terminal node",
    "",
    " 1) root 81 17 absent (0.79012346 0.20987654)  ",
    "   2) Start>=8.5 62  6 absent (0.90322581 0.09677419)  ",
    "     4) Start>=14.5 29  0 absent (1.00000000 0.00000000) *",
    "     5) Start< 14.5 33  6 absent (0.81818182 0.18181818)  ",
    "      10) Age< 55 12  0 absent (1.00000000 0.00000000) *",
    "      11) Age>=55 21  6 absent (0.71428571 0.28571429)  ",
    "        22) Age>=111 14  2 absent (0.85714286 0.14285714) *",
    "        23) Age< 111 7  3 present (0.42857143 0.57142857) *",
    "   3) Start< 8.5 19  8 present (0.42105263 0.57894737) *",
]


def test_the_form() -> None:
    schema = Schema(
        (Numeric("Age"), Numeric("Start"), Nominal("Kyphosis", ("absent", "present"))), ("feature", "feature", "target")
    )
    older = Fork(0, CUTS, [111.0], [Leaf([12, 2]), Leaf([3, 4])], equal_low=False, flipped=True)
    middle = Fork(0, CUTS, [55.0], [Leaf([12, 0]), older], equal_low=False)
    late = Fork(1, CUTS, [14.5], [Leaf([29, 0]), middle], equal_low=False, flipped=True)
    tree = plant(schema, Fork(1, CUTS, [8.5], [late, Leaf([8, 11])], equal_low=False, flipped=True))
    assert text(tree, style="rpart").split("\n") == PRINTED
