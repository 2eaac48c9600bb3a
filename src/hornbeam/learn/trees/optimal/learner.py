"""Optimal trees: of all trees of a given depth, the one whose leaves cost least."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Literal

from hornbeam.learn.base.classifier import DecidingClassifier
from hornbeam.learn.base.declare import estimator
from hornbeam.learn.base.parameters import at_least, number, one_of, threads, whole
from hornbeam.learn.base.progress import ReportsProgress
from hornbeam.learn.base.regressor import TableRegressor
from hornbeam.learn.trees.optimal.found import described, found_tree
from hornbeam.learn.trees.optimal.problem import Goal, make_problem
from hornbeam.learn.trees.optimal.start import greedy_start
from hornbeam.learn.trees.tree_learner import TreeMethods

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.core.trees.optimal.search import Search
    from hornbeam.data.table import Table
    from hornbeam.learn.trees.optimal.problem import Problem
    from hornbeam.model.trees.tree import Tree

DEEPEST = 6
SLICE = 0.1  # seconds between two reports of the progress
PERCENT = 100


@estimator
class _Optimal(TreeMethods, ReportsProgress):
    """What `OptimalTreeClassifier` and `OptimalTreeRegressor` share.

    Parameters
    ----------
    max_depth : int
        The greatest depth of the tree, at most 6. Each additional level multiplies the time by about the number of cuts
        of all columns that bounds cannot exclude.
    min_samples_leaf : float
        Every leaf has at least this weight, unless it is the only one. Some bounds do not hold with such a limit, so
        that the search takes longer.
    nominal : {"one-vs-rest", "multiway"}
        How to split by categories: one category against the others, or a branch for every category. Columns of ordered
        categories are cut.
    missing : {"default-direction", "own-category"}
        Where rows without a value go: to the branch where they cost least, or to a category of their own (for numbers:
        above every cut). Either way, missing values may also be split from all others.
    time_limit : float or None
        Seconds after which `fit` returns the best tree so far.
    keep_on_interrupt : bool
        Ctrl-C ends the search, and `fit` returns the best tree so far. Otherwise it raises KeyboardInterrupt, as
        everywhere.
    verbose : int
        0: nothing is written. 1: about ten lines on standard error while the gap between the best tree and the bound
        closes. 2: a line for each percent. Functions set by `set_callbacks` are called with the percentage of the gap
        that is closed; if one returns True, `fit` returns the best tree so far.

    Attributes
    ----------
    optimal_ : bool
        Whether it is proved that no tree costs less.
    objective_ : float
        What the tree costs: its errors (or their costs, or squared errors) on the training rows, and the penalties of
        its leaves.
    bound_ : float
        No tree costs less than this.
    gap_ : float
        The difference of the two, as a fraction of `objective_`; 0 if the tree is optimal.
    """

    max_depth: int = 3
    penalty: float = 0.0
    min_samples_leaf: float = 1
    nominal: Literal["one-vs-rest", "multiway"] = "one-vs-rest"
    missing: Literal["default-direction", "own-category"] = "default-direction"
    time_limit: float | None = None
    keep_on_interrupt: bool = False
    n_jobs: int | None = None

    def _goal(self, loss: NDArray[Any] | None) -> Goal:
        depth = whole("max_depth", self.max_depth, 0)
        if depth > DEEPEST:
            msg = f"max_depth is {depth}; expected at most {DEEPEST}, since the search would not end"
            raise ValueError(msg)
        least = at_least("min_samples_leaf", self.min_samples_leaf, 0)
        return Goal(
            depth,
            at_least("penalty", self.penalty, 0),
            least,
            one_of("nominal", self.nominal, ("one-vs-rest", "multiway")),
            one_of("missing", self.missing, ("default-direction", "own-category")),
            loss,
        )

    def _grow(self, table: Table, loss: NDArray[Any] | None = None) -> Tree:
        """Search for the best tree, starting with the greedy one."""
        begun = time.monotonic()
        limit = None if self.time_limit is None else number("time_limit", self.time_limit)
        if limit is not None and limit <= 0:
            msg = f"time_limit is {self.time_limit!r}; expected None or a number of seconds above 0"
            raise ValueError(msg)
        problem = make_problem(table, self._goal(loss))
        tree, cost = greedy_start(problem, threads(self.n_jobs))
        search = problem.search()
        self._search(search, cost, None if limit is None else begun + limit)
        tree = described(tree, problem) if search.value is None else found_tree(problem, search.tree)
        self._note(problem, tree, search)
        return tree

    def _search(self, search: Search, most: int, end: float | None) -> None:
        """Search until the tree is optimal, the time is over, or a callback asks to stop."""
        first_gap, reported, more = None, 0, True
        try:
            while more:
                left = 0.0 if end is None else max(end - time.monotonic(), 1e-9)
                more = search.advance(SLICE, most, left)
                gap = (most if search.value is None else search.value) - search.bound
                first_gap = gap if first_gap is None else first_gap
                closed = PERCENT if not gap or not first_gap else int(PERCENT * (1 - gap / first_gap))
                for percent in range(reported + 1, min(closed, PERCENT) + 1):
                    more = not self._report(percent, PERCENT) and more
                reported = max(reported, closed)
        except KeyboardInterrupt:
            if not self.keep_on_interrupt:
                raise

    def _note(self, problem: Problem, tree: Tree, search: Search) -> None:
        """Note the cost of the tree, and how much less another tree may cost."""
        leaves = (tree.n_children == 0) & (tree.weight > 0)
        per_leaf = problem.goal.penalty * float(tree.error[0] if problem.options["numbers"] else tree.weight[0])
        self.objective_ = float(tree.error[leaves].sum()) + per_leaf * int(leaves.sum())
        self.optimal_ = search.finished
        least = problem.plain_cost(search.bound)
        self.bound_ = self.objective_ if search.finished else min(self.objective_, least)
        self.gap_ = 1.0 - self.bound_ / self.objective_ if self.bound_ < self.objective_ else 0.0


@estimator
class OptimalTreeClassifier(_Optimal, DecidingClassifier):
    """The decision tree of a given depth that makes the fewest errors, or whose errors cost least.

    The search starts with the greedy tree that `TreeClassifier` grows. Branches of the search are left out only if
    bounds prove that they contain no better tree. Of several best trees it returns the one with the fewest leaves; of
    these, the one that splits the root by the first column at the lowest cut, and so on below. The tree does not depend
    on the order of the rows.

    Parameters
    ----------
    penalty : float
        What each leaf costs, as a fraction of the total weight: with 0.01, a leaf must save one error in a hundred
        rows.
    costs : matrix or mapping, optional
        The cost of predicting the class of the column when the class of the row is true, or ``{true: {predicted:
        cost}}``. The tree is the one whose predictions cost least.

    Examples
    --------
    >>> import hornbeam
    >>> iris = hornbeam.read("iris")
    >>> tree = hornbeam.OptimalTreeClassifier(max_depth=2).fit(iris)
    >>> tree.optimal_, tree.objective_, tree.model_.n_leaves
    (True, 6.0, 3)
    """

    def _learn(self, table: Table) -> tuple[Tree, None]:
        return self._grow(table, self._costs()), None


@estimator
class OptimalTreeRegressor(_Optimal, TableRegressor):
    """The regression tree of a given depth with the least squared error.

    The search is that of `OptimalTreeClassifier`. Squared errors are compared as multiples of a billionth of a
    thousandth of the squared error of all rows, or about that.

    Parameters
    ----------
    penalty : float
        What each leaf costs, as a fraction of the squared error of all rows about their mean.

    Examples
    --------
    >>> import hornbeam
    >>> tree = hornbeam.OptimalTreeRegressor(max_depth=2).fit(hornbeam.read("cpu"))
    >>> tree.optimal_, tree.model_.n_leaves
    (True, 4)
    """

    def _learn(self, table: Table) -> tuple[Tree, None]:
        return self._grow(table), None
