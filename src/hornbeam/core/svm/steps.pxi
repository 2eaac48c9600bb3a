# Part of solve.pyx: steps on pairs of rows until no step would gain more than the tolerance.
#
# Every row t has a coefficient b[t] within [least[t], most[t]], and f[t] = target[t] - sum of b[s] K[s][t]. A step
# moves two coefficients by the same amount in opposite directions, so that their sum is constant. `up[t]` is what the
# objective gains by raising b[t], -inf where that is not allowed; `low[t]` what it loses by lowering it, inf where that
# is not allowed. Both are f[t], except for an error of `epsilon` that costs nothing: then there is a kink where b[t] is
# zero. So one problem covers classification (least or most is zero, targets are -1 and 1) and regression.
# Rows that cannot change, since neither up nor low comes near those that matter, are set aside (shrinking); they follow
# the active rows in the same arrays.

cdef enum:
    PARTNER  # kernel values of row i, and the best partner for it
    STEP  # kernel values of row j, gradients after the step, and the next row i
    REBUILD  # f of rows set aside
    PIECE = 2048  # rows of one piece of work; a multiple of HB_TILE and of the loops' runs
    SMALL_PIECE = 256
    PATIENCE = 1000  # steps between attempts to set rows aside

cdef double FEW = 60000.0  # fewer operations are not worth a second thread
cdef double SMALLEST = 1e-12  # used in place of a curvature that is not above zero
cdef double WORTH = 0.9  # rows are set aside if at most this fraction stays active


cdef struct Machine:
    Source source
    Cache cache
    hb_crew* crew
    int64_t n
    int64_t active
    double epsilon
    double tol
    double* up
    double* low
    double* coefficient
    double* least
    double* most
    double* target
    float* diagonal
    int64_t* order  # the row at each position
    int64_t* places  # scratch: positions in a new order
    int64_t* new_place
    double* doubles  # scratch, n of them
    int64_t* chosen  # rows with a coefficient, while f is rebuilt
    int64_t n_chosen
    # the current piece of work
    int task
    int counter
    int n_pieces
    int64_t begin
    int64_t end
    int64_t i
    int64_t j
    float* row_i
    float* row_j
    int64_t from_i  # values before this position are known
    int64_t from_j
    double step
    double** wide  # by member of the crew
    float** narrow
    double* piece_top
    double* piece_bottom
    int64_t* piece_where
    float* piece_gain
    # progress
    double top
    double bottom
    int64_t where
    int64_t steps
    int64_t until_shrink
    int64_t n_unshrunk
    bint shrinking
    bint stopped  # the work was canceled


cdef inline double up_of(Machine* m, int64_t t, double f) noexcept nogil:
    if m.coefficient[t] >= m.most[t]:
        return -INFINITY
    return f - m.epsilon if m.coefficient[t] >= 0 else f + m.epsilon


cdef inline double low_of(Machine* m, int64_t t, double f) noexcept nogil:
    if m.coefficient[t] <= m.least[t]:
        return INFINITY
    return f + m.epsilon if m.coefficient[t] <= 0 else f - m.epsilon


cdef inline double f_of(Machine* m, int64_t t) noexcept nogil:
    if m.up[t] > -INFINITY:
        return m.up[t] + m.epsilon if m.coefficient[t] >= 0 else m.up[t] - m.epsilon
    return m.low[t] - m.epsilon if m.coefficient[t] <= 0 else m.low[t] + m.epsilon


cdef void fill_row(
    Machine* m, int64_t place, int64_t start, int64_t first, int64_t last, float* row, int number,
) noexcept nogil:
    """Compute the missing kernel values of a row within one piece."""
    cdef int64_t own = m.order[place]
    cdef int64_t begin = max(first, start // HB_TILE * HB_TILE)
    cdef double norm = m.source.norms[own] if m.source.norms != NULL else 0.0
    if begin >= last:
        return
    open_pivot(&m.source, place, own, m.wide[number], m.narrow[number])
    kernel_run(&m.source, m.order, own, norm, m.wide[number], m.narrow[number], begin, last, row + begin)
    close_pivot(&m.source, own, m.wide[number])


cdef void rebuild_piece(Machine* m, int64_t first, int64_t last, int number) noexcept nogil:
    cdef float values[SMALL_PIECE]
    cdef int64_t k, place, own
    cdef double norm
    for k in range(m.n_chosen):
        if number == 0 and stopping():  # only the caller's thread can poll
            m.stopped = True
        if m.stopped:
            return
        place = m.chosen[k]
        own = m.order[place]
        norm = m.source.norms[own] if m.source.norms != NULL else 0.0
        open_pivot(&m.source, place, own, m.wide[number], m.narrow[number])
        kernel_run(&m.source, m.order, own, norm, m.wide[number], m.narrow[number], first, last, values)
        close_pivot(&m.source, own, m.wide[number])
        hb_m_lessen(m.doubles + first, values, m.coefficient[place], last - first)


cdef void work(void* what, int number) noexcept nogil:
    cdef Machine* m = <Machine*>what
    cdef int64_t piece, first, last, size = SMALL_PIECE if m.task == REBUILD else PIECE
    while True:
        piece = hb_crew_next(&m.counter)
        if piece >= m.n_pieces:
            return
        first = m.begin + piece * size
        last = min(first + size, m.end)
        if m.task == PARTNER:
            fill_row(m, m.i, m.from_i, first, last, m.row_i, number)
            hb_m_partner(
                m.low, m.row_i, m.diagonal, m.diagonal[m.i], m.top, first, last,
                &m.piece_gain[piece], &m.piece_where[piece],
            )
        elif m.task == STEP:
            fill_row(m, m.j, m.from_j, first, last, m.row_j, number)
            hb_m_step(
                m.up, m.low, m.row_i, m.row_j, m.step, first, last,
                &m.piece_top[piece], &m.piece_where[piece], &m.piece_bottom[piece],
            )
        else:
            rebuild_piece(m, first, last, number)


cdef void share_out(Machine* m, int task, int64_t begin, int64_t end, double work_a_row) noexcept nogil:
    cdef int64_t size = SMALL_PIECE if task == REBUILD else PIECE
    m.task = task
    m.counter = 0
    m.begin = begin
    m.end = end
    m.n_pieces = <int>((end - begin + size - 1) // size)
    if m.crew.size == 1 or m.n_pieces < 2 or (end - begin) * work_a_row < FEW:
        work(m, 0)
    else:
        hb_crew_run(m.crew, work, m)


cdef double work_of(Machine* m, bint fresh) noexcept nogil:
    """Operations per row of a pass."""
    if not fresh:
        return 4.0
    if m.source.gram != NULL:
        return 8.0
    if m.source.start != NULL:
        return 20.0 + 4.0 * <double>m.source.start[m.n] / <double>m.n
    return 20.0 + <double>m.source.d


cdef void look(Machine* m) noexcept nogil:
    """The greatest `up` and the least `low` of the active rows."""
    cdef int64_t t
    m.top = -INFINITY
    m.bottom = INFINITY
    m.where = -1
    for t in range(m.active):
        if m.up[t] > m.top:
            m.top = m.up[t]
            m.where = t
        if m.low[t] < m.bottom:
            m.bottom = m.low[t]


cdef void permute(Machine* m, int64_t first, int64_t last) noexcept nogil:
    """Reorder positions `first` to `last` by `places`; the cache is updated separately."""
    cdef int64_t t, c, d = m.source.d
    cdef double* numbers[6]
    cdef int array
    cdef float* goal
    cdef float* at
    cdef float* narrow = <float*>m.doubles
    cdef int64_t* whole = <int64_t*>m.doubles
    numbers[0] = m.up
    numbers[1] = m.low
    numbers[2] = m.coefficient
    numbers[3] = m.least
    numbers[4] = m.most
    numbers[5] = m.target
    for array in range(6):
        for t in range(first, last):
            m.doubles[t] = numbers[array][m.places[t]]
        memcpy(numbers[array] + first, m.doubles + first, <size_t>(last - first) * sizeof(double))
    for t in range(first, last):
        narrow[t] = m.diagonal[m.places[t]]
    memcpy(m.diagonal + first, narrow + first, <size_t>(last - first) * sizeof(float))
    for t in range(first, last):
        whole[t] = m.order[m.places[t]]
    memcpy(m.order + first, whole + first, <size_t>(last - first) * sizeof(int64_t))
    for t in range(first, last):
        whole[t] = m.cache.slot_of[m.places[t]]
    memcpy(m.cache.slot_of + first, whole + first, <size_t>(last - first) * sizeof(int64_t))
    for t in range(first, last):
        m.new_place[m.places[t]] = t
    if m.source.tiles == NULL:
        return
    for t in range(first, last):
        goal = tile_value(m.source.spare, d, t)
        at = tile_value(m.source.tiles, d, m.places[t])
        for c in range(d):
            goal[c * HB_TILE] = at[c * HB_TILE]
    for t in range(first, last):
        goal = tile_value(m.source.tiles, d, t)
        at = tile_value(m.source.spare, d, t)
        for c in range(d):
            goal[c * HB_TILE] = at[c * HB_TILE]


cdef inline bint matters(Machine* m, int64_t t) noexcept nogil:
    return m.up[t] >= m.bottom or m.low[t] <= m.top


cdef void set_aside(Machine* m) noexcept nogil:
    cdef int64_t t, k, n_kept = 0
    for t in range(m.active):
        n_kept += matters(m, t)
    if n_kept > WORTH * m.active or n_kept < 2:
        return
    k = n_kept
    n_kept = 0
    for t in range(m.active):
        if matters(m, t):
            m.places[n_kept] = t
            n_kept += 1
        else:
            m.places[k] = t
            k += 1
    permute(m, 0, m.active)
    for t in range(n_kept, m.active):
        m.cache.slot_of[t] = -1
    narrow_cache(&m.cache, m.places, n_kept, m.new_place)
    m.active = n_kept
    look(m)


cdef void rebuild(Machine* m, int64_t first) noexcept nogil:
    """Compute f of the rows from `first` on, from all coefficients."""
    cdef int64_t t
    cdef double f
    m.n_chosen = 0
    for t in range(m.n):
        if m.coefficient[t] != 0:
            m.chosen[m.n_chosen] = t
            m.n_chosen += 1
    memcpy(m.doubles, m.target, <size_t>m.n * sizeof(double))
    share_out(m, REBUILD, first // HB_TILE * HB_TILE, m.n, 1.0 + m.n_chosen * work_of(m, True))
    for t in range(first, m.n):
        f = m.doubles[t]
        m.up[t] = up_of(m, t, f)
        m.low[t] = low_of(m, t, f)


cdef bint call_back(Machine* m) noexcept nogil:
    """Reactivate rows that matter after all; returns whether there are any, or a step is still worthwhile."""
    cdef int64_t t, k, before = m.active, n_back = 0
    m.n_unshrunk += 1
    rebuild(m, before)
    m.active = m.n
    look(m)
    if m.top - m.bottom < m.tol:
        widen_cache(&m.cache, m.n)
        return False
    for t in range(before, m.n):
        if matters(m, t):
            m.places[before + n_back] = t
            n_back += 1
    k = before + n_back
    for t in range(before, m.n):
        if not matters(m, t):
            m.places[k] = t
            k += 1
    permute(m, before, m.n)
    m.active = before + n_back
    widen_cache(&m.cache, m.active)
    look(m)
    m.shrinking = m.n_unshrunk < 20
    return True


cdef void shift(double* coefficient, double by, double limit) noexcept nogil:
    """Add, ending exactly at the limit if the step reaches it."""
    coefficient[0] = limit if by == limit - coefficient[0] else coefficient[0] + by


cdef bint take_step(Machine* m) noexcept nogil:
    """Take one step on the row with the greatest `up` and its best partner; returns whether there was a partner."""
    cdef int64_t i = m.where, j = -1, piece, slot
    cdef double curve, gap, limit_i, limit_j, f_i, f_j
    cdef float gain = 0.0
    cdef bint fresh
    if i < 0:  # no row has a finite `up`
        return False
    slot = take_slot(&m.cache, i)
    m.i = i
    m.row_i = m.cache.memory + slot * m.cache.length
    m.from_i = m.cache.filled[slot]
    fresh = m.from_i < m.active
    share_out(m, PARTNER, 0, m.active, work_of(m, fresh))
    m.cache.filled[slot] = m.active
    for piece in range(m.n_pieces):
        if m.piece_gain[piece] > gain:
            gain = m.piece_gain[piece]
            j = m.piece_where[piece]
    if j < 0:
        return False
    curve = <double>m.diagonal[i] + <double>m.diagonal[j] - 2.0 * <double>m.row_i[j]
    gap = m.up[i] - m.low[j]
    limit_i = 0.0 if m.coefficient[i] < 0 and m.most[i] > 0 else m.most[i]
    limit_j = 0.0 if m.coefficient[j] > 0 and m.least[j] < 0 else m.least[j]
    m.step = min(gap / max(curve, SMALLEST), limit_i - m.coefficient[i], m.coefficient[j] - limit_j)
    f_i = f_of(m, i)
    f_j = f_of(m, j)
    shift(&m.coefficient[i], m.step, limit_i)
    shift(&m.coefficient[j], -m.step, limit_j)
    m.up[i] = up_of(m, i, f_i)
    m.low[i] = low_of(m, i, f_i)
    m.up[j] = up_of(m, j, f_j)
    m.low[j] = low_of(m, j, f_j)
    slot = take_slot(&m.cache, j)
    m.j = j
    m.row_j = m.cache.memory + slot * m.cache.length
    m.from_j = m.cache.filled[slot]
    fresh = m.from_j < m.active
    share_out(m, STEP, 0, m.active, work_of(m, fresh))
    m.cache.filled[slot] = m.active
    m.top = -INFINITY
    m.bottom = INFINITY
    m.where = -1
    for piece in range(m.n_pieces):
        if m.piece_top[piece] > m.top:
            m.top = m.piece_top[piece]
            m.where = m.piece_where[piece]
        m.bottom = min(m.bottom, m.piece_bottom[piece])
    return True


cdef int advance(Machine* m, int64_t most_steps) noexcept nogil:
    """Take up to this many steps; returns 1 if no more are needed, -1 if none can be taken, 0 otherwise."""
    cdef int64_t taken = 0
    cdef bint moved
    while not stopping():
        if not m.top - m.bottom >= m.tol:
            if m.active == m.n or not call_back(m):
                return 1
            continue
        if taken == most_steps:
            return 0
        m.until_shrink -= 1
        if m.shrinking and m.until_shrink <= 0:
            m.until_shrink = min(m.n, PATIENCE)
            set_aside(m)
        moved = take_step(m)
        if not moved:
            if m.active == m.n or not call_back(m):
                return -1
            continue
        m.steps += 1
        taken += 1
    return 0
