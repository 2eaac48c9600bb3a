# Part of keep.pyx: kept rows of which not all are used, or with weights of columns that change. Their values are
# stored column by column, eight rows at a time: one loop computes lower bounds of all distances, and only rows that may
# be near enough are compared exactly. A dropped row stays in its place until a quarter of the places are of dropped
# rows.


cdef class Shelf:
    """The kept rows, in the order in which they were kept; the places are those of `Stream.kept`."""

    cdef double* block
    cdef int64_t room
    cdef int64_t n_gone
    cdef uint8_t* gone  # by place: whether the row was dropped
    cdef int32_t* label
    cdef double* bound  # by place: a lower bound of the distance of the current row, up to rounding
    cdef uint8_t* near  # not used
    cdef double* query
    cdef double* scale
    cdef double* differ
    cdef double* top  # by class: the upper confidence limit of its frequency

    def __dealloc__(self):
        free(self.block)
        free(self.gone)
        free(self.label)
        free(self.bound)
        free(self.near)
        free(self.query)

    cdef bint begin(self, const Stream* s) noexcept nogil:
        self.query = <double*>calloc(3 * s.p + s.n_classes + 1, sizeof(double))
        if self.query == NULL:
            return False
        self.scale = self.query + s.p
        self.differ = self.scale + s.p
        self.top = self.differ + s.p
        return True

    cdef bint put(self, const Stream* s, int64_t place) noexcept nogil:
        """Add the row of a place, the next one; False if memory runs out."""
        cdef int64_t room = self.room
        cdef int f
        if place >= room:
            room = (2 * place + HB_K_LANES) // HB_K_LANES * HB_K_LANES
            if (
                not hb_resize(&self.block, (room * s.p + 1) * sizeof(double))
                or not hb_resize(&self.gone, room)
                or not hb_resize(&self.label, room * sizeof(int32_t))
                or not hb_resize(&self.bound, room * sizeof(double))
                or not hb_resize(&self.near, room // HB_K_LANES)
            ):
                return False
            memset(self.block + self.room * s.p, 0, (room - self.room) * s.p * sizeof(double))
            self.room = room
        for f in range(s.p):
            self.at(s, place, f)[0] = s.value[s.kept[place] * s.p + f]
        self.gone[place] = 0
        self.label[place] = s.target[s.kept[place]]
        return True

    cdef inline double* at(self, const Stream* s, int64_t place, int f) noexcept nogil:
        return self.block + (place // HB_K_LANES * s.p + f) * HB_K_LANES + place % HB_K_LANES

    cdef void close_gaps(self, Stream* s) noexcept nogil:
        """Give the places of dropped rows to the rows after them."""
        cdef int64_t j, left = 0
        cdef int f
        for j in range(s.n_kept if self.n_gone else 0):
            if self.gone[j]:
                continue
            s.kept[left], s.right[left], s.tried[left], s.least[left] = s.kept[j], s.right[j], s.tried[j], s.least[j]
            self.label[left] = self.label[j]
            for f in range(s.p):
                self.at(s, left, f)[0] = self.at(s, j, f)[0]
            left += 1
        if self.n_gone:
            memset(self.gone, 0, left)
            s.n_kept = left
            self.n_gone = 0

    cdef void bound_all(self, const Stream* s, int64_t row) noexcept nogil:
        """Compute the bounds, with the least of the weights that classes give a column."""
        cdef int f, k
        cdef double width, scale, weight
        memcpy(self.query, s.value + row * s.p, s.p * sizeof(double))
        for f in range(s.p):
            weight = s.weight[f]
            for k in range(1, s.n_sets):
                weight = min(weight, s.weight[k * s.p + f])
            width = s.high[f] - s.low[f]
            scale = weight / width if width > 0.0 and not s.nominal[f] else 0.0
            self.scale[f] = scale if scale < INFINITY else 0.0
            self.differ[f] = weight * weight if s.nominal[f] else 0.0
        hb_k_near(self.query, self.block, self.scale, self.differ, s.p,
                  (s.n_kept + HB_K_LANES - 1) // HB_K_LANES, INFINITY, self.bound, self.near)

    cdef inline double apart(self, const Stream* s, int64_t row, int64_t j) noexcept nogil:
        return distance(s, row, s.value + s.kept[j] * s.p, weights_for(s, s.kept[j]), INFINITY)

    cdef int64_t nearest(self, const Stream* s, int64_t row, bint accepted, double* least) noexcept nogil:
        """The place of the nearest row, of all or of those that may be used; the first wins ties; -1: none."""
        cdef int64_t j, best = -1
        cdef double d, enough = INFINITY
        least[0] = INFINITY
        for j in range(s.n_kept):
            if self.bound[j] > enough or self.gone[j] or (accepted and not s.least[j] > self.top[self.label[j]]):
                continue
            d = self.apart(s, row, j)
            if d < least[0] or best < 0:
                least[0], best = d, j
                enough = nearly(d)
        return best

    cdef void keep_records(self, Stream* s, int64_t row, double reach) noexcept nogil:
        """Update the records of kept rows within `reach`, and drop those that are significantly bad."""
        cdef int64_t j
        cdef double n = <double>s.n_seen, enough = nearly(reach)
        for j in range(s.n_kept):
            if self.bound[j] > enough or self.gone[j] or self.apart(s, row, j) > reach:
                continue
            s.tried[j] += 1
            s.right[j] += self.label[j] == s.target[row]
            s.least[j] = limit(s.right[j], s.tried[j], s.accept, -1)
            if limit(s.right[j], s.tried[j], s.reject, 1) < limit(s.class_count[self.label[j]], n, s.reject, -1):
                s.became[s.kept[j]] = DROPPED
                self.gone[j] = 1
                self.n_gone += 1
        if 4 * self.n_gone > s.n_kept:
            self.close_gaps(s)

    cdef bint predicts_right(self, Stream* s, int64_t row) noexcept nogil:
        """Whether the kept rows predict a row's class; updates records and weights."""
        cdef int64_t j = -1, chosen
        cdef double least = INFINITY
        cdef bint right
        cdef int k
        s.n_compared += s.n_kept - self.n_gone
        if s.n_kept == self.n_gone:
            return False
        self.bound_all(s, row)
        if s.records:
            for k in range(s.n_classes):
                self.top[k] = limit(s.class_count[k], <double>s.n_seen, s.accept, 1)
            j = self.nearest(s, row, True, &least)
        if j < 0:
            j = self.nearest(s, row, False, &least)
        chosen = s.kept[j]
        right = s.target[chosen] == s.target[row]
        if s.records:
            self.keep_records(s, row, least)
        if s.learned != NO_WEIGHTS:
            learn_weights(s, row, chosen)
        return right


cdef inline double nearly(double distance) noexcept nogil:
    """Slightly more than a distance, to allow for the rounding of bounds."""
    return distance * (1.0 + 1e-9) + 1e-12
