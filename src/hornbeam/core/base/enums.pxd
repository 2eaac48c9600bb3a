"""Enumerations that kernels and Python share: each number is written here and nowhere else.

The enumerations have no type name, so that Python sees plain integers. Numbers that model files store (kinds of splits,
routes of missing values, verdicts, pruning actions) must never change; new ones are added at the end.
"""

cpdef enum:  # kind of a split (model/trees/split.py explains them)
    BY_CUTS = 0
    BY_CODES = 1
    BY_CODE_SETS = 2
    BY_SUMS = 3

cpdef enum:  # what a row with a missing value does at a node, unless it follows one branch
    FRACTIONAL = -1  # goes down every branch, with a fraction of its weight
    STOP = -2  # goes no further

cpdef enum:  # verdict: why a column's candidate split was or was not taken
    NO_SPLIT = 0
    NO_GAIN = 1
    BELOW_AVERAGE = 2
    OUTSCORED = 3
    CHOSEN = 4
    INSIGNIFICANT = 5

cpdef enum:  # what a pruning step did
    KEPT = 0
    MADE_LEAF = 1
    RAISED = 2
    COLLAPSED = 3

cpdef enum:  # split criterion: which impurity a split lowers (model/trees/criterion.py has the table)
    ENTROPY = 0  # N log2 N - sum of n log2 n, in bits
    GINI = 1  # N - sum of n^2 / N
    MISCLASSIFICATION = 2  # smallest loss of predicting a single class
    CHI_SQUARE = 3  # -sum of n^2 / (N p), p the parent's class fractions: the gain of a split is Pearson's statistic
    VARIANCE = 4  # sum of squares about the mean
    DEVIATION = 5  # N times the standard deviation
    ABSOLUTE = 6  # sum of distances from the median

cpdef enum:  # how a nominal column is split
    MULTIWAY = 0
    ONE_VS_REST = 1
    SUBSET = 2
    GROUPED = 3

cpdef enum:  # missing route: what rows with a missing value do while a tree is grown
    IN_PIECES = 0  # go down every branch, each with the branch's fraction of the weight
    WITH_MOST = 1  # take the branch with the greatest weight
    EITHER_SIDE = 2  # take the branch with the greater gain
    ABOVE = 3  # count as a value above all others
    BY_SURROGATE = 4  # are routed by other columns


cdef inline bint is_number(int criterion) noexcept nogil:
    """Whether a criterion is for numeric targets; the others are for classes."""
    return criterion == VARIANCE or criterion == DEVIATION or criterion == ABSOLUTE


cdef inline bint is_relative(int criterion) noexcept nogil:
    """Whether splits are compared with the parent's class fractions, so that a single node has no impurity."""
    return criterion == CHI_SQUARE
