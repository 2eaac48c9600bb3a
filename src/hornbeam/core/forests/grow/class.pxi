# Part of grower.pyx: the class that Python sees.


cdef class Forester:
    """Columns, target and parameters of a forest; every tree is a separate call, from any thread.

    Parameters
    ----------
    codes, wide, n_bins, nominal, cuts
        As in `hornbeam.learn.forests.binned.Binned`.
    values : dict
        The numbers of features whose bins hold several values: the best cut between bins is then refined to the best
        cut between any two values in the two bins next to it. If empty, cuts are between bins only.
    target : int32 or float64 array
        Class of each row, or its number minus the mean.
    n_classes : int
        0 where the target is a number.
    weights : float64 array or None
    choices : mapping
        Fields of the struct Job, by name.
    """

    cdef Job job
    cdef list held
    cdef hb_pool pool
    cdef Room* idle  # work memory of finished trees, to be reused

    def __dealloc__(self):
        cdef Room* room
        while self.idle != NULL:
            room = self.idle
            self.idle = room.next
            clear(room)
        hb_pool_free(&self.pool)

    def __init__(
        self,
        const uint8_t[:, ::1] codes,
        dict wide,
        const int32_t[::1] n_bins,
        const uint8_t[::1] nominal,
        cuts,
        values,
        target,
        int n_classes,
        const double[::1] weights,
        choices,
    ):
        cdef Job* job = &self.job
        cdef const int32_t[::1] column, labels
        cdef const double[::1] numbers, edges
        cdef int64_t n_features = n_bins.shape[0], most = 0
        self.held = [n_bins, nominal, target, weights]
        memset(job, 0, sizeof(Job))
        job.n_rows, job.n_features = codes.shape[1], <int32_t>n_features
        if job.n_rows == 0 or n_features == 0 or job.n_rows >= 2**32:
            raise ValueError(f"{job.n_rows} rows and {n_features} columns; expected at least one of each")
        if codes.shape[0] != n_features:
            raise ValueError(f"codes of {codes.shape[0]} columns; expected {n_features}")
        cdef const int32_t** wide_codes = <const int32_t**>take(&self.pool, n_features, sizeof(int32_t*))
        cdef const double** bin_cuts = <const double**>take(&self.pool, n_features, sizeof(double*))
        cdef const double** exact = <const double**>take(&self.pool, n_features, sizeof(double*))
        job.wide, job.cuts, job.values = wide_codes, bin_cuts, exact
        for feature, array in wide.items():
            column = array
            self.held.append(column)
            wide_codes[feature] = &column[0]
        for feature, array in enumerate(cuts):
            if len(array):
                edges = array
                self.held.append(edges)
                bin_cuts[feature] = &edges[0]
        for feature, array in values.items():
            edges = array
            self.held.append(edges)
            exact[feature] = &edges[0]
        job.any_wide = len(wide) > 0
        job.n_bins, job.nominal = &n_bins[0], &nominal[0]
        for feature in range(n_features):
            most = max(most, n_bins[feature] + 1)
        job.most_codes = <int32_t>most
        job.n_classes = n_classes
        job.width = n_classes if n_classes else NUMBER_WIDTH
        if n_classes:
            labels = target
            job.labels = &labels[0]
        else:
            numbers = target
            job.numbers = &numbers[0]
        if weights is not None:
            job.weights = &weights[0]
        job.n_candidates = choices["n_candidates"]
        job.n_pool = choices["n_pool"]
        job.random_cut = choices["random_cut"]
        job.entropy = choices["entropy"]
        job.bootstrap = choices["bootstrap"]
        job.n_drawn = choices["n_drawn"]
        job.min_leaf = choices["min_leaf"]
        job.min_split = choices["min_split"]
        job.max_depth = choices["max_depth"]
        job.max_leaves = choices["max_leaves"]
        job.seed = choices["seed"]
        job.kind = WEIGHTS
        if n_classes and weights is None:
            job.kind = PAIRS if n_classes == 2 else CLASSES
        elif weights is None:
            self.pack(np.abs(target).max())
        if job.kind == CLASSES and job.entropy:
            self.list_products()
        self.as_records(codes)

    cdef as_records(self, const uint8_t[:, ::1] codes):
        """Store the codes of a row together. If rows are counted, a column with two codes is a bit of a word."""
        cdef Job* job = &self.job
        cdef int32_t feature, i, n_bits = 0, n_bytes = 0
        cdef int64_t start, n, row
        cdef int32_t[::1] order
        cdef uint8_t side_by_side[TILE]
        places = np.zeros(job.n_features, np.int32)
        shifts, masks = np.zeros(job.n_features, np.uint8), np.full(job.n_features, 255, np.uint8)
        cdef int32_t[::1] place = places
        cdef uint8_t[::1] shift = shifts, mask = masks
        cdef uint8_t[:, ::1] records
        for feature in range(job.n_features):
            if (job.kind == PAIRS or job.kind == CLASSES) and job.n_bins[feature] == 2 and (
                job.wide[feature] == NULL and job.values[feature] == NULL and np.max(codes[feature]) < 2
            ):
                place[feature], shift[feature], mask[feature] = n_bits >> 3, n_bits & 7, 1
                n_bits += 1
        job.n_words = (n_bits + 63) // 64
        for feature in range(job.n_features):
            if mask[feature] == 255 and job.wide[feature] == NULL:
                place[feature] = 8 * job.n_words + n_bytes
                n_bytes += 1
        job.stride = 8 * job.n_words + (n_bytes + 7) // 8 * 8
        rows = np.zeros((job.n_rows, max(job.stride, 1)), np.uint8)
        records = rows
        job.codes, job.place, job.shift, job.mask = &records[0, 0], &place[0], &shift[0], &mask[0]
        self.held += [records, places, shifts, masks]
        narrow = [feature for feature in range(job.n_features) if job.wide[feature] == NULL]
        order = np.array(sorted(narrow, key=places.__getitem__), np.int32)
        start = 0
        with nogil:
            while start < job.n_rows:
                n = min(<int64_t>TILE, job.n_rows - start)
                memset(side_by_side, 0, TILE)
                for i in range(order.shape[0]):
                    feature = order[i]
                    for row in range(n):
                        side_by_side[row] |= codes[feature, start + row] << job.shift[feature]
                    if i + 1 < order.shape[0] and job.place[order[i + 1]] == job.place[feature]:
                        continue  # another bit of the same byte
                    for row in range(n):
                        job.codes[(start + row) * job.stride + job.place[feature]] = side_by_side[row]
                    memset(side_by_side, 0, TILE)
                start += TILE
        lay_out(job, 8 * job.n_words + n_bytes)

    cdef list_products(self):
        """Multiply counts by their logarithms, once for all trees; as integers, whose sums are exact."""
        cdef int64_t[::1] products = np.zeros(MOST_PRODUCTS, np.int64)
        cdef int64_t count
        for count in range(1, MOST_PRODUCTS):
            products[count] = <int64_t>rint(count * hb_log2(<double>count) / PRODUCT_STEP)
        self.held.append(products)
        self.job.product_of = &products[0]

    cdef pack(self, double largest):
        """Choose how numbers and counts share a word; sums of rounded numbers only decide between cuts."""
        cdef Job* job = &self.job
        cdef int count_bits = (<object>max(job.n_drawn, job.n_rows)).bit_length()
        cdef int digits = min(MOST_DIGITS, 63 - 2 * count_bits)
        if digits < LEAST_DIGITS or not 0.0 < largest < INFINITY or not 2.0**digits / largest < INFINITY:
            return
        job.kind = PACKED
        job.count_bits = count_bits
        job.scale = (2.0**digits - 1.0) / largest

    def grow(self, uint64_t tree, bint with_rows=False):
        """Grow one tree; the result does not depend on the thread or on the trees grown before.

        Returns
        -------
        dict
            Arrays by node; `cut` is the last bin of the first branch, `threshold` the greatest value that goes there;
            the codes of a nominal node's first branch end at `set_stop`, which is omitted if there are none, and there
            are `cut` of them. If requested, `leaf`: the leaf of every row, and `count`: how often the row was
            drawn.
        """
        cdef Room* room = self.take_room()
        cdef int status
        cdef const Job* job = &self.job
        try:
            with nogil:
                if job.n_classes and job.weights == NULL:
                    status = grow_tree(<int32_t*>NULL, job, room, tree)
                else:
                    status = grow_tree(<double*>NULL, job, room, tree)
            if status == NO_MEMORY:
                raise MemoryError("not enough memory to grow a tree")
            if status == CANCELLED:
                raise_stopped()
            found = self.given(room, with_rows)
        except BaseException:
            clear(room)
            raise
        room.next, self.idle = self.idle, room
        return found

    cdef Room* take_room(self) except NULL:
        cdef Room* room = self.idle
        if room != NULL:
            self.idle = room.next
            room.nodes.n = room.nodes.n_codes = 0
            return room
        room = <Room*>take(NULL, 1, sizeof(Room))
        try:
            self.allocate_room(room)
        except MemoryError:
            clear(room)
            raise
        return room

    cdef allocate_room(self, Room* room):
        cdef const Job* job = &self.job
        cdef hb_pool* pool = &room.pool
        cdef int64_t bins = <int64_t>MOST_CODES * job.width * BATCH, codes = max(job.most_codes, MOST_CODES)
        room.counts = <int32_t*>take_raw(pool, job.n_rows * sizeof(int32_t))
        room.left_counts = <int64_t*>take(pool, 2 * job.width, sizeof(int64_t))
        room.packed_bins = <int64_t*>take(pool, BATCH * MOST_CODES, sizeof(int64_t))
        room.order = <int32_t*>take_raw(pool, job.n_features * sizeof(int32_t))
        room.histogram = take(pool, bins, sizeof(double))
        room.seen = <uint64_t*>take(pool, BATCH * WORDS, sizeof(uint64_t))
        room.varying = <uint64_t*>take(pool, job.n_words + 1, sizeof(uint64_t))
        room.ones = <int32_t*>take(pool, BATCH * job.width, sizeof(int32_t))
        room.bit_sums = <int32_t*>take_raw(pool, 2 * BATCH * job.width * sizeof(int32_t))
        room.two_bins = take(pool, 2 * job.width, sizeof(double))
        room.left = <double*>take(pool, 4 * job.width + 8, sizeof(double))
        room.present = <int32_t*>take_raw(pool, 5 * codes * sizeof(int32_t))
        room.key = <double*>take_raw(pool, codes * sizeof(double))
        room.wide_side = <uint8_t*>take_raw(pool, codes)
        room.right = room.left + job.width
        room.right_counts = room.left_counts + job.width
        room.total = room.right + job.width
        room.moved = room.total + job.width
        memset(room.wide_side, 1, codes)
        room.places = room.present + codes
        room.trial_codes = room.places + codes
        room.trial = room.trial_codes + codes
        room.best_codes = room.trial + codes

    cdef dict given(self, Room* room, bint with_rows):
        cdef Nodes* nodes = &room.nodes
        cdef int64_t n = nodes.n
        cdef int32_t[::1] leaf
        found = {
            "feature": copied(nodes.feature, n * sizeof(int32_t), np.int32),
            "cut": copied(nodes.cut, n * sizeof(int32_t), np.int32),
            "threshold": copied(nodes.threshold, n * sizeof(double), np.float64),
            "first_child": copied(nodes.first_child, n * sizeof(int32_t), np.int32),
            "missing": copied(nodes.missing, n, np.int8),
            "weight": copied(nodes.weight, n * sizeof(float), np.float32),
            "value": copied(nodes.value, n * max(self.job.n_classes, 1) * sizeof(float), np.float32),
            "gain": copied(nodes.gain, n * sizeof(float), np.float32),
            "codes": copied(nodes.codes, nodes.n_codes * sizeof(int32_t), np.int32),
        }
        if nodes.n_codes:
            found["set_stop"] = copied(nodes.set_stop, n * sizeof(int64_t), np.int64)
        if with_rows:
            found["count"] = copied(room.counts, self.job.n_rows * sizeof(int32_t), np.int32)
            found["leaf"] = np.empty(self.job.n_rows, np.int32)
            leaf = found["leaf"]
            with nogil:
                find_leaves(&self.job, room, &leaf[0])
        return found


cdef void find_leaves(const Job* job, Room* room, int32_t* leaf) noexcept nogil:
    """The leaf of every row, drawn or not."""
    cdef const Nodes* nodes = &room.nodes
    cdef int64_t row, i
    cdef int32_t node, feature, code, side
    for row in range(job.n_rows):
        node = 0
        while nodes.first_child[node] >= 0:
            feature = nodes.feature[node]
            if job.wide[feature] != NULL:
                code = job.wide[feature][row]
            else:
                code = (job.codes[row * job.stride + job.place[feature]] >> job.shift[feature]) & job.mask[feature]
            if code == job.n_bins[feature]:
                side = nodes.missing[node]
            elif job.nominal[feature]:
                side = 1
                for i in range(nodes.set_stop[node] - nodes.cut[node], nodes.set_stop[node]):
                    if nodes.codes[i] == code:
                        side = 0
                        break
            elif job.values[feature] != NULL:
                side = job.values[feature][row] > nodes.threshold[node]
            else:
                side = code > nodes.cut[node]
            node = nodes.first_child[node] + side
        leaf[row] = node


cdef copied(const void* source, int64_t n_bytes, kind):
    """Copy memory to a new array."""
    array = np.empty(n_bytes // np.dtype(kind).itemsize, kind)
    cdef uint8_t[::1] target = array.view(np.uint8)
    if n_bytes:
        memcpy(&target[0], source, n_bytes)
    return array


cdef void clear(Room* room) noexcept:
    hb_pool_free(&room.record_pool)
    hb_pool_free(&room.pool)
    free(room.nodes.feature)
    free(room.nodes.cut)
    free(room.nodes.threshold)
    free(room.nodes.first_child)
    free(room.nodes.missing)
    free(room.nodes.set_stop)
    free(room.nodes.weight)
    free(room.nodes.value)
    free(room.nodes.gain)
    free(room.nodes.sums)
    free(room.nodes.codes)
    free(room)
