# Part of combine.pyx: the search on arrays, for tests.


def combine(matrix, target, criterion, weights=None, double min_branch=0.0, loss=None, double least_share=0.2):
    """The best cut of a weighted sum of columns.

    Parameters
    ----------
    matrix : array of float, rows x columns
        Without missing values.
    target : array
        Class codes from 0, or numbers for the criteria variance and deviation.
    criterion : str
    weights : array of float, optional
    min_branch : float
        Minimum weight of a branch.
    loss : matrix, optional
        For misclassification: by true and predicted class.
    least_share : float
        A term stays if its contribution is more than this fraction of the best term's.

    Returns
    -------
    coefficients, cut, impurity
        Rows whose sum of coefficient times value is at most `cut` go low; `impurity` is what is left, infinite if no
        split has two branches.

    Examples
    --------
    >>> combine([[0, 0], [0, 1], [1, 0], [2, 1], [1, 2], [2, 2]], [0, 0, 0, 1, 1, 1], "gini")
    (array([1.        , 1.66666667]), 2.666666666666667, 0.0)
    """
    cdef double[::1, :] values = np.asfortranarray(matrix, np.float64)
    cdef Combining given
    cdef int32_t[::1] labels
    cdef double[::1] numbers, row_weights
    cdef double[:, ::1] losses
    cdef double left, cut = 0.0
    if values.shape[0] == 0 or values.shape[1] == 0 or not np.isfinite(matrix).all():
        raise ValueError("expected a matrix of finite numbers with one row and one column at least")
    given.n_rows, given.n_columns = values.shape[0], values.shape[1]
    given.values = &values[0, 0]
    given.criterion = CRITERIA[criterion]
    given.labels, given.target, given.weights, given.loss = NULL, NULL, NULL, NULL
    if len(target) != given.n_rows:
        raise ValueError(f"{len(target)} targets for {given.n_rows} rows")
    if is_number(given.criterion):
        numbers = np.ascontiguousarray(target, np.float64)
        given.target = &numbers[0]
        given.n_stats = 3
    else:
        labels = np.ascontiguousarray(target, np.int32)
        if min(labels) < 0:
            raise ValueError("class codes start at 0")
        given.labels = &labels[0]
        given.n_stats = max(labels) + 1
    if loss is not None:
        losses = np.ascontiguousarray(loss, np.float64)
        if losses.shape[0] != losses.shape[1] or losses.shape[0] < given.n_stats:
            raise ValueError(f"expected a loss for each pair of {given.n_stats} classes")
        given.n_stats = losses.shape[0]
        given.loss = &losses[0, 0]
    if weights is not None:
        row_weights = np.ascontiguousarray(weights, np.float64)
        if row_weights.shape[0] != given.n_rows:
            raise ValueError(f"{row_weights.shape[0]} weights for {given.n_rows} rows")
        given.weights = &row_weights[0]
    given.min_branch, given.least_share = min_branch, least_share
    coefficients = np.zeros(given.n_columns)
    cdef double[::1] out = coefficients
    cdef double[::1] memory = np.empty(combination_memory(given.n_rows, given.n_columns, given.n_stats))
    with nogil:
        left = best_combination(&given, &memory[0], &out[0], &cut)
        poll()
    return coefficients, cut, left
