# Part of cuts.pyx: the kernels over NumPy arrays.

CRITERIA = {
    "entropy": ENTROPY,
    "gini": GINI,
    "misclassification": MISCLASSIFICATION,
    "chi-square": CHI_SQUARE,
    "variance": VARIANCE,
    "deviation": DEVIATION,
}


cdef class Given:
    """Arrays that a Bins points to, kept alive while it is used."""

    cdef Bins bins
    cdef const double[:, ::1] stats
    cdef const double[::1] parent_fractions
    cdef const double[:, ::1] loss

    def __init__(self, stats, criterion, int max_cuts, double min_branch, loss=None):
        array = np.ascontiguousarray(stats, np.float64)
        if array.ndim != 2:
            raise ValueError(f"the statistics have {array.ndim} dimensions; expected bins x statistics")
        if criterion not in CRITERIA:
            raise ValueError(f"criterion is {criterion!r}; expected one of {', '.join(map(repr, CRITERIA))}")
        if max_cuts < 0:
            raise ValueError(f"max_cuts is {max_cuts}; expected at least 0")
        self.bins.criterion = CRITERIA[criterion]
        if is_number(self.bins.criterion) and array.shape[1] != 3:
            raise ValueError(f"found {array.shape[1]} statistics per bin; expected weight, sum and sum of squares")
        if array.shape[1] < 1 or not np.isfinite(array).all():
            raise ValueError("statistics must be finite numbers, at least one per bin")
        self.stats = array
        self.bins.n_bins = array.shape[0]
        self.bins.n_stats = <int>array.shape[1]
        self.bins.stats = &self.stats[0, 0] if array.shape[0] else NULL
        total = array.sum(axis=0)
        self.parent_fractions = np.ascontiguousarray(total / total.sum() if total.sum() else total)
        self.bins.parent_fractions = &self.parent_fractions[0]
        self.bins.loss = NULL
        if loss is not None:
            losses = np.ascontiguousarray(loss, np.float64)
            if losses.shape != (array.shape[1], array.shape[1]):
                raise ValueError(f"the loss matrix has the shape {losses.shape}; expected a row and a column per class")
            self.loss = losses
            self.bins.loss = &self.loss[0, 0]
        self.bins.min_branch = min_branch
        # not more cuts than possible positions, so that no memory is wasted
        self.bins.max_cuts = <int>min(max_cuts, max(array.shape[0] - 1, 0))
        self.bins.limit = array.shape[0]
        self.bins.join_alike = 0
        self.bins.rounding = 0.0


def impurities(stats, criterion, loss=None):
    """Impurity of every bin; for chi-square, relative to the class fractions of all bins together."""
    cdef Given given = Given(stats, criterion, 0, 0.0, loss)
    cdef int64_t i
    out = np.empty(given.bins.n_bins)
    cdef double[::1] view = out
    for i in range(given.bins.n_bins):
        view[i] = impurity_of(&given.bins, given.bins.stats + i * given.bins.n_stats)
    return out


def greedy(stats, criterion, max_cuts, min_branch=0.0, loss=None):
    """Cuts in the order found, each the best additional one, and the total impurity after 0, 1, ... of them."""
    cdef Given given = Given(stats, criterion, max_cuts, min_branch, loss)
    memory = np.empty(greedy_memory(&given.bins))
    cuts = np.zeros(max(given.bins.max_cuts, 1), np.int64)
    after = np.zeros(given.bins.max_cuts + 1)
    cdef double[::1] memory_view = memory, after_view = after
    cdef int64_t[::1] cuts_view = cuts
    cdef int n_cuts
    with nogil:
        n_cuts = greedy_cuts(&given.bins, &memory_view[0], &cuts_view[0], &after_view[0])
    return cuts[:n_cuts], after[: n_cuts + 1]


def optimal(stats, criterion, max_cuts, min_branch=0.0, loss=None, limit=1024, join=False):
    """For every possible k, the k cuts with the least impurity, ascending, and that impurity; k = 0, 1, ... max_cuts.

    `limit` is as in `optimal_cuts`; `join` first joins adjacent bins with the same class fractions.
    """
    cdef Given given = Given(stats, criterion, max_cuts, min_branch, loss)
    if limit < 2:
        raise ValueError(f"limit is {limit}; expected at least 2 bins")
    given.bins.limit = limit
    given.bins.join_alike = bool(join)
    memory = np.empty(optimal_memory(&given.bins))
    width = given.bins.max_cuts
    cuts = np.zeros((max(width, 1), max(width, 1)), np.int64)
    after = np.zeros(width + 1)
    cdef double[::1] memory_view = memory, after_view = after
    cdef int64_t[:, ::1] cuts_view = cuts
    cdef int n_cuts
    with nogil:
        n_cuts = optimal_cuts(&given.bins, &memory_view[0], &cuts_view[0, 0], &after_view[0])
    return [cuts[max(k, 1) - 1, :k].copy() for k in range(n_cuts + 1)], after[: n_cuts + 1]


def join(stats):
    """Join adjacent bins with proportional statistics; returns the statistics, and the first bin of each."""
    given = np.ascontiguousarray(stats, np.float64)
    out = np.empty_like(given)
    first = np.empty(len(given), np.int64)
    cdef const double[:, ::1] stats_view = given
    cdef double[:, ::1] out_view = out
    cdef int64_t[::1] first_view = first
    cdef int64_t n_joined
    if not given.size:
        return out, first
    with nogil:
        n_joined = join_alike(&stats_view[0, 0], stats_view.shape[0], <int>stats_view.shape[1], &out_view[0, 0],
                              &first_view[0])
    return out[:n_joined], first[:n_joined]


def log_tail(double statistic, double df):
    """Natural log of the chi-square distribution's upper tail."""
    return log_chi_square_tail(statistic, df)
