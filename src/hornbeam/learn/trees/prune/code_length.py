r"""The number of bits needed to encode a tree and the classes of its rows: minimum description length.

A receiver knows the columns of the rows but not their classes. For every node from the root on, the code has

- one bit: is it a leaf?
- at a leaf the classes of its rows: the number of each, one of :math:`\binom{n + k - 1}{k - 1}` possibilities,
  and which rows those are, one of :math:`n! / (n_1! \cdots n_k!)`. The logarithm of the product is
  :math:`\log_2 \Gamma(n + k) / (\Gamma(k)\, \Gamma(n_1 + 1) \cdots \Gamma(n_k + 1))`, which also takes weights;
- at an inner node its split: one of the f features (for a sum of t columns :math:`\binom{f}{t}`), and then

  - cuts: one of :math:`\binom{p}{c}` ways to put c cuts at the p positions between the rows of the node (or between the
    categories of an ordered column, if these are fewer);
  - a branch for every category: nothing more;
  - m categories in two groups, of which one has s: s (one of m - 1), and one of :math:`\binom{m}{s}`;
  - m categories in b groups: a group for each, :math:`m \log_2 b`;
  - a sum of t columns: the coefficients and the cut, as precise as n rows determine them, :math:`\frac{t}{2} \log_2 n`.

With two classes the code of a leaf is that of Quinlan and Rivest (1989), :math:`\log_2 (b + 1) + \log_2 \binom{n}{e}`
for e exceptions of at most b = n, the default class included; for more classes it is Wallace and Patrick's (1993).

References
----------
J. R. Quinlan and R. L. Rivest, *Inferring decision trees using the minimum description length principle*, Information
and Computation 80 (1989), 227-248. C. S. Wallace and J. D. Patrick, *Coding decision trees*, Machine Learning 11
(1993), 7-22.

Examples
--------
>>> import numpy as np
>>> bits_of_classes(np.array([[2.0, 1.0], [4.0, 0.0]])).round(4).tolist()  # 4 x 3, and 5 x 1 possibilities
[3.585, 2.3219]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaln

from hornbeam.data.schema import Nominal
from hornbeam.model.trees.split import CODE_SETS, CODES, CUTS, SUMS

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from hornbeam.core.base.arrays import Floats, Ints32
    from hornbeam.model.trees.tree import Tree

NATURAL = float(np.log(2.0))  # bits are natural logarithms divided by this
TWO = 2


def bits_of_classes(value: Floats) -> Floats:
    """Bits that encode the classes of rows, given the number of rows; one row of class weights per node."""
    n_classes = value.shape[1]
    total = gammaln(value.sum(axis=1) + n_classes) - gammaln(n_classes)
    bits = (total - gammaln(value + 1.0).sum(axis=1)) / NATURAL
    return np.asarray(np.maximum(bits, 0.0))


def bits_of_splits(tree: Tree) -> Floats:
    """Bits that encode the split of each node; 0 at leaves."""
    splits = tree.splits
    inner = np.flatnonzero(tree.split >= 0)
    used = tree.split[inner]
    kind, branches, column = splits.kind[used], splits.n_branches[used].astype(np.float64), splits.column[used]
    n_features = float(len(tree.schema.features))
    categories = np.array([len(c.categories) if isinstance(c, Nominal) else 0 for c in tree.schema.columns], np.float64)
    m = categories[column]
    rows = np.maximum(tree.rows[inner].astype(np.float64), 1.0)
    places = np.maximum(np.where(m > 0, np.minimum(rows, m), rows) - 1.0, branches - 1.0)
    by_cuts = log_choices(places, branches - 1.0)
    bits = np.log2(n_features) + np.where(kind == CUTS, by_cuts, 0.0)
    grouped = ((kind == CODES) | (kind == CODE_SETS)) & (branches < m)
    first = _in_first_branch(tree, used, m)
    two = np.log2(np.maximum(m - 1.0, 1.0)) + log_choices(m, np.clip(first, 0.0, m))
    bits += np.where(grouped, np.where(branches == TWO, two, m * np.log2(branches)), 0.0)
    sums = kind == SUMS
    if sums.any() and splits.term_start is not None:
        terms = np.diff(splits.term_start)[used].astype(np.float64)
        of_sums = log_choices(n_features, np.maximum(terms, 1.0)) + terms / 2.0 * np.log2(rows)
        bits = np.where(sums, of_sums, bits)
    by_node = np.zeros(tree.n_nodes)
    by_node[inner] = bits
    return by_node


def log_choices(n: ArrayLike, k: ArrayLike) -> Floats:
    """Base-2 logarithm of the number of ways to choose k out of n."""
    of, chosen = np.asarray(n, np.float64), np.asarray(k, np.float64)
    bits = (gammaln(of + 1.0) - gammaln(chosen + 1.0) - gammaln(of - chosen + 1.0)) / NATURAL
    return np.asarray(np.maximum(bits, 0.0))


def _in_first_branch(tree: Tree, used: Ints32, categories: Floats) -> Floats:
    """How many categories a split by codes sends to its first branch."""
    splits = tree.splits
    owner = np.repeat(np.arange(len(splits)), np.diff(splits.code_start))
    listed = splits.kind[owner] == CODE_SETS
    branch = np.where(listed, splits.code_branch, splits.codes) if len(owner) else np.empty(0)
    first = np.bincount(owner[branch == 0], minlength=len(splits))[used].astype(np.float64)
    n_listed = np.diff(splits.code_start)[used]
    rest = (splits.kind[used] == CODE_SETS) & (splits.other[used] == 0)
    return np.where(rest, first + categories - n_listed, first)
