# Part of grower.pyx: the best split of a node among columns drawn at random.


cdef inline void move(Tally* width, const Job* job, const Tally* bin, double* left, double* right) noexcept nogil:
    """Move a bin's sums from right to left."""
    cdef int32_t k
    for k in range(job.width):
        left[k] += bin[k]
        right[k] -= bin[k]


cdef void start_sides(Tally* width, const Job* job, Room* room, const Tally* missing,
                      bint missing_first) noexcept nogil:
    """Put everything on the right, except missing values if they go left."""
    cdef int32_t k
    for k in range(job.width):
        room.left[k] = 0.0
        room.right[k] = room.total[k]
    if missing_first:
        move(width, job, missing, room.left, room.right)


cdef inline int64_t move_counts(Tally* width, const Job* job, const Tally* bin, int64_t* left, int64_t* right,
                                int64_t* squares) noexcept nogil:
    """Move a bin's counts from right to left and update both sums of squares; returns the number of rows."""
    cdef int64_t count, total = 0, left_more = 0, right_less = 0
    cdef int32_t k, n_classes = job.width
    for k in range(n_classes):
        count = <int64_t>bin[k]
        left_more += count * (2 * left[k] + count)
        right_less += count * (2 * right[k] - count)
        left[k] += count
        right[k] -= count
        total += count
    squares[0] += left_more
    squares[1] -= right_less
    return total


cdef inline int64_t move_products(Tally* width, const Job* job, const Tally* bin, int64_t* left, int64_t* right,
                                  int64_t* sums) noexcept nogil:
    """The same for sums of counts times their logarithms."""
    cdef const int64_t* product_of = job.product_of
    cdef int64_t count, total = 0
    cdef int32_t k
    for k in range(job.width):
        count = <int64_t>bin[k]
        if count == 0:
            continue
        sums[0] += product_of[left[k] + count] - product_of[left[k]]
        sums[1] += product_of[right[k] - count] - product_of[right[k]]
        left[k] += count
        right[k] -= count
        total += count
    return total


cdef int64_t start_counts(const Job* job, Room* room, int64_t* squares) noexcept nogil:
    """Set up both sides as integers, with sums of squares or products; returns the number of rows on the left."""
    cdef int64_t total = 0
    cdef int32_t k
    squares[0] = squares[1] = 0
    for k in range(job.width):
        room.left_counts[k] = <int64_t>room.left[k]
        room.right_counts[k] = <int64_t>room.right[k]
        if job.entropy:
            squares[0] += job.product_of[room.left_counts[k]]
            squares[1] += job.product_of[room.right_counts[k]]
        else:
            squares[0] += room.left_counts[k] * room.left_counts[k]
            squares[1] += room.right_counts[k] * room.right_counts[k]
        total += room.left_counts[k]
    return total


cdef struct Order:  # codes in an order that may be cut anywhere
    const int32_t* codes
    const int32_t* places  # of their bins
    int32_t n
    int32_t only  # the only position to try, and the cut there; or -1
    int32_t cut
    bint named  # whether the codes of a branch are listed


cdef void try_order(Tally* width, const Job* job, Room* room, const Tally* histogram, const Order* order,
                    const Tally* missing, Found* best, int32_t feature) noexcept nogil:
    """The best cut of codes in the given order, with missing values on either side; `best` is replaced if beaten."""
    cdef const int32_t* places = order.places
    cdef int32_t n = order.n, only = order.only
    cdef int side, n_sides = 1 if missing == NULL else 2
    cdef int32_t i, start
    cdef bint turned
    cdef double score, left_weight, right_weight
    cdef double total = weight_of(job, room.total)
    cdef int64_t stride = job.width
    cdef double left0, left1, right0, right1
    cdef const Tally* bin
    cdef bint pairs = job.n_classes == 2 and not job.entropy, numbers = job.n_classes == 0
    cdef bint counts = room.counted
    cdef int64_t squares[2]
    cdef int64_t n_left = 0
    for side in range(n_sides):
        start_sides(width, job, room, missing, side == 1)
        left0, left1, right0, right1 = room.left[0], room.left[1], room.right[0], room.right[1]
        if counts:
            n_left = start_counts(job, room, squares)
        for i in range(n - 1 if missing == NULL or side == 1 else n):
            bin = histogram + places[i] * stride
            if pairs:
                left0 += bin[0]
                left1 += bin[1]
                right0 -= bin[0]
                right1 -= bin[1]
                left_weight = left0 + left1
                right_weight = right0 + right1
            elif numbers:
                left_weight = left0 = left0 + bin[0]
                left1 += bin[1]
                right1 -= bin[1]
                right_weight = total - left_weight
            elif counts:
                if job.entropy:
                    n_left += move_products(width, job, bin, room.left_counts, room.right_counts, squares)
                else:
                    n_left += move_counts(width, job, bin, room.left_counts, room.right_counts, squares)
                left_weight = <double>n_left
                right_weight = total - left_weight
            else:
                move(width, job, bin, room.left, room.right)
                left_weight = weight_of(job, room.left)
                right_weight = total - left_weight
            if left_weight < job.min_leaf or right_weight < job.min_leaf or right_weight <= 0.0:
                continue
            if only >= 0 and i != only:
                continue
            if pairs:
                score = (left0 * left0 + left1 * left1) / left_weight
                score += (right0 * right0 + right1 * right1) / right_weight
            elif numbers:
                score = left1 * left1 / left_weight + right1 * right1 / right_weight if left_weight > 0.0 else -INFINITY
            elif counts and job.entropy:
                score = by_products(job.product_of, squares[0] + squares[1], n_left, <int64_t>total - n_left)
            elif counts:
                score = <double>squares[0] / left_weight + <double>squares[1] / right_weight
            else:
                score = mass(job, room.left, left_weight) + mass(job, room.right, right_weight)
            if score <= best.score:
                continue
            best.score = score
            best.feature = feature
            best.missing = side ^ 1
            if missing == NULL:  # follow the majority
                best.missing = 1 if right_weight > left_weight else 0
            best.n_codes = 0
            if order.named:
                # the heavier branch is the unlisted one, which also gets unseen categories
                turned = left_weight > right_weight and i < n - 1
                if turned:
                    best.missing ^= 1
                start = i + 1 if turned else 0
                best.n_codes = (n if turned else i + 1) - start
                memcpy(room.best_codes, order.codes + start, best.n_codes * sizeof(int32_t))
            else:
                set_cut(job, room, feature, i, n, best)
                if only >= 0:
                    best.cut = order.cut


cdef inline void set_cut(const Job* job, const Room* room, int32_t feature, int32_t i, int32_t n,
                         Found* best) noexcept nogil:
    """Cut a numeric column after the i-th code that occurs in a node's rows."""
    if i == n - 1:  # all known values on one side
        best.cut = best.low = best.high = job.n_bins[feature] - 1
        return
    best.low, best.high = room.present[i], room.present[i + 1]
    best.cut = (best.low + best.high - 1) >> 1


cdef void try_categories(Tally* width, const Job* job, Room* room, const Tally* histogram, int32_t n,
                         const Tally* missing, Found* best, int32_t feature) noexcept nogil:
    """The best split of categories into two sets, ordered by their means or their proportions of a class."""
    cdef int32_t i, j, k, n_orders = 1, wanted, only = -1
    cdef Order order
    cdef double weight
    cdef const Tally* bin
    if job.n_classes > 2 and not job.random_cut:
        n_orders = min(job.n_classes, MOST_ORDERS)
    for k in range(n_orders):
        wanted = k if job.n_classes > 2 else 1
        if job.n_classes > MOST_ORDERS:
            wanted = <int32_t>below(next_word(&room.random), job.n_classes)
        if job.n_classes > 2 and room.total[wanted] <= 0.0:
            continue
        for i in range(n):
            bin = histogram + <int64_t>room.places[i] * job.width
            if job.random_cut:
                room.key[i] = unit(next_word(&room.random))
            elif job.n_classes:
                weight = 0.0
                for j in range(job.n_classes):
                    weight += bin[j]
                room.key[i] = bin[wanted] / weight
            else:
                room.key[i] = <double>bin[1] / bin[0]
        hb_sort_indices(room.trial, room.trial_codes, room.key, n)  # overwrites the codes, which are set below
        for i in range(n):
            room.trial_codes[i] = room.present[room.trial[i]]
            room.trial[i] = room.places[room.trial[i]]
        if job.random_cut and n > 1:
            only = <int32_t>below(next_word(&room.random), n - 1)
        order.codes, order.places, order.n = room.trial_codes, room.trial, n
        order.only, order.cut, order.named = only, -1, True
        try_order(width, job, room, histogram, &order, missing, best, feature)


cdef int32_t random_cut(const Job* job, Room* room, int32_t feature, int32_t n) noexcept nogil:
    """A cut drawn uniformly between the smallest and the largest value of a node."""
    cdef const double* cuts = job.cuts[feature]
    cdef int32_t low = room.present[0], high = room.present[n - 1] - 1, middle
    cdef double wanted = cuts[low] + (cuts[high] - cuts[low]) * unit(next_word(&room.random))
    while low < high:
        middle = (low + high) >> 1
        if cuts[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


cdef void wipe(Tally* width, const Job* job, Room* room, int b, int32_t feature, int32_t n_present,
               bint marked) noexcept nogil:
    """Reset the sums of a column to zero; if codes are marked, only those listed."""
    cdef Tally* histogram = <Tally*>room.histogram + <int64_t>b * MOST_CODES * job.width
    cdef int32_t i, k
    if not marked:
        memset(histogram, 0, <int64_t>min(job.n_bins[feature] + 1, <int32_t>MOST_CODES) * job.width * sizeof(Tally))
        return
    for i in range(n_present):
        for k in range(job.width):
            histogram[room.present[i] * job.width + k] = 0


cdef bint try_column(Tally* width, const Job* job, Room* room, const uint8_t* records, int64_t n_rows, int b,
                     int32_t feature, bint marked, Found* best) noexcept nogil:
    """Search a column's best split; returns whether it has any. Resets its sums."""
    cdef Tally* histogram = <Tally*>room.histogram + <int64_t>b * MOST_CODES * job.width
    cdef int32_t n_bins = job.n_bins[feature], n, n_all, i, k, n_sums = job.width, only = -1, cut = -1
    cdef Order order
    cdef bint wide = job.wide[feature] != NULL, bit = is_bit(job, feature)
    cdef const Tally* missing = NULL
    if not wide and not bit and not in_histogram(job, room, feature):
        return try_few(job, room, records, n_rows, feature, best)
    if wide:
        n_all = list_wide(width, job, room, records, n_rows, feature)
        histogram = <Tally*>room.runs
    elif bit:
        if room.counted and not job.nominal[feature] and not job.random_cut:
            try_bit(job, room, feature, room.ones + b * n_sums, best)
            return True
        histogram = <Tally*>room.two_bins
        n_all = 2
        for i in range(2):
            room.present[i] = room.places[i] = i
        for k in range(n_sums):
            histogram[n_sums + k] = <Tally>room.ones[b * n_sums + k]
            histogram[k] = <Tally>room.total[k] - histogram[n_sums + k]
    else:
        # if values use all codes, there is no code for a missing value
        n_all = list_present(width, job, room, b, min(n_bins + 1, <int32_t>MOST_CODES), marked)
    n = n_all
    if n > 1:
        if room.present[n - 1] == n_bins:
            n -= 1
            missing = histogram + <int64_t>room.places[n] * job.width
        if job.nominal[feature]:
            try_categories(width, job, room, histogram, n, missing, best, feature)
        else:
            if job.random_cut and n > 1:
                cut = random_cut(job, room, feature, n)
                only = 0
                while room.present[only + 1] <= cut:
                    only += 1
            order.codes, order.places, order.n = room.present, room.places, n
            order.only, order.cut, order.named = only, cut, False
            try_order(width, job, room, histogram, &order, missing, best, feature)
    if wide or bit:
        return n_all > 1
    wipe(width, job, room, b, feature, n_all, marked)
    return n_all > 1


cdef inline double highest_score(const Job* job, const Room* room, int64_t n) noexcept nogil:
    """An upper bound of the score, reached by a split with a single class on each side, which is taken at once.

    All splits that separate two rows have the same score.
    """
    if n == 2:
        return -DBL_MAX
    if job.n_classes == 0:
        return INFINITY
    return 0.0 if job.entropy else weight_of(job, room.total)


cdef void set_bits_aside(const Job* job, Room* room, Task* task) noexcept nogil:
    """Find which bits differ between a node's rows; columns with constant bits are not drawn here or below."""
    cdef const uint8_t* records = room.records + task.begin * job.size
    cdef int32_t word, place, feature
    for word in range(job.n_words):
        room.varying[word] = hb_varying(records + word * 8, task.end - task.begin, job.size)
    for place in range(task.n_constant, job.n_pool):
        feature = room.order[place]
        if is_bit(job, feature) and not varies(job, room, feature):
            room.order[place] = room.order[task.n_constant]
            room.order[task.n_constant] = feature
            task.n_constant += 1


cdef void search(Tally* width, const Job* job, Room* room, Task* task, Found* best) noexcept nogil:
    """The best split among columns drawn one after another until enough of them can be split."""
    cdef int64_t n = task.end - task.begin
    cdef const uint8_t* records = room.records + task.begin * job.size
    cdef int32_t drawn, n_valid = 0, n_batch, i, place, feature, n_present
    cdef int32_t batch[BATCH]
    cdef double highest = highest_score(job, room, n)
    cdef int32_t at_once = 1 if n == 2 else BATCH
    # few rows: marking their codes takes less time than scanning all codes
    cdef bint marked = n < (MOST_CODES // 2 if job.width == 2 else FEW_ROWS), pair
    best.feature = -1
    best.score = -INFINITY
    best.threshold = INFINITY
    best.n_codes = 0
    room.counted = job.kind == CLASSES and as_counts(job, weight_of(job, room.total))
    if room.counted:
        sum_counts(job, room)
    room.chained = marked and room.counted and not job.random_cut and n > 2
    if room.chained:
        list_rows(job, room, records, n)
    if job.n_words:
        set_bits_aside(job, room, task)
    drawn = task.n_constant
    while drawn < job.n_pool and n_valid < job.n_candidates and best.score < highest:
        n_batch = min(at_once, job.n_candidates - n_valid, job.n_pool - drawn)
        for i in range(n_batch):
            place = drawn + i + <int32_t>below(next_word(&room.random), job.n_pool - drawn - i)
            feature = room.order[place]
            room.order[place] = room.order[drawn + i]
            room.order[drawn + i] = feature
            batch[i] = feature
        pair = n == 2 and not job.random_cut and is_pair(job, records, batch[0])
        if not pair:
            count_batch(width, job, room, records, n, batch, n_batch, marked)
        for i in range(n_batch):
            if best.score >= highest:
                if in_histogram(job, room, batch[i]):
                    n_present = list_present(width, job, room, i, 0, True) if marked else 0
                    wipe(width, job, room, i, batch[i], n_present, marked)
            elif (
                try_pair(job, records, batch[i], best) if pair
                else try_column(width, job, room, records, n, i, batch[i], marked, best)
            ):
                n_valid += 1
            else:  # constant in all nodes below, too
                place = drawn + i
                room.order[place] = room.order[task.n_constant]
                room.order[task.n_constant] = batch[i]
                task.n_constant += 1
        drawn += n_batch
