# Part of boost.pyx: gradients of all rows, computed and rounded; sampling of rows.


cdef struct Slopes:  # gradients of one output, to be computed and rounded
    Job* job
    int loss
    const double* score
    const double* target
    const float* probability
    double parameter
    double which
    uint32_t key
    float most_gradient[MOST_CREW]
    float most_curve[MOST_CREW]
    double* chunk_gradient  # sums of absolute values
    double* chunk_curve
    double* chunk_square  # of the gradients, with rows repeated according to their weights
    double least_ratio[MOST_CREW]
    double most_ratio[MOST_CREW]
    int64_t total[MOST_CREW]  # of the words
    # for probabilities
    int n_classes
    float* probabilities


cdef void slope_work(void* what, int number) noexcept nogil:
    cdef Slopes* slopes = <Slopes*>what
    cdef Job* job = slopes.job
    cdef int64_t first, end
    cdef int step = 2 if job.curved else 1
    cdef float most
    while next_chunk(&job.counter, job.n_rows, &first, &end):
        hb_slope(
            slopes.loss, slopes.score, slopes.target, slopes.probability, job.weight, slopes.parameter,
            slopes.which, first, end, job.slope,
        )
        most = hb_most(job.slope, step, first, end)
        slopes.most_gradient[number] = max(slopes.most_gradient[number], most)
        slopes.chunk_gradient[first // CHUNK] = hb_total(job.slope, step, first, end)
        slopes.chunk_square[first // CHUNK] = hb_squares(job.slope, job.weight, step, first, end)
        if job.curved:
            most = hb_most(job.slope + 1, 2, first, end)
            slopes.most_curve[number] = max(slopes.most_curve[number], most)
            slopes.chunk_curve[first // CHUNK] = hb_total(job.slope + 1, 2, first, end)


cdef void round_work(void* what, int number) noexcept nogil:
    cdef Slopes* slopes = <Slopes*>what
    cdef Job* job = slopes.job
    cdef int64_t first, end, i, low, high, curve, total
    cdef double least, most, ratio
    while next_chunk(&job.counter, job.n_rows, &first, &end):
        hb_round(job.slope, job.curved, 1.0 / job.gradient_unit, 1.0 / job.curve_unit, slopes.key, first, end,
                 job.words)
        total = 0
        for i in range(first, end):
            total += job.words[i]
        slopes.total[number] += total
        if not job.curved:
            continue
        least = INFINITY
        most = 0.0
        if job.weight == NULL:
            low = high = <uint32_t>job.words[first]
            for i in range(first, end):
                curve = <uint32_t>job.words[i]
                low = min(low, curve)
                high = max(high, curve)
            least = <double>low
            most = <double>high
        else:
            for i in range(first, end):
                ratio = <double>(<uint32_t>job.words[i]) / job.weight[i]
                least = min(least, ratio)
                most = max(most, ratio)
        slopes.least_ratio[number] = min(slopes.least_ratio[number], least)
        slopes.most_ratio[number] = max(slopes.most_ratio[number], most)


cdef void probabilities_work(void* what, int number) noexcept nogil:
    cdef Slopes* slopes = <Slopes*>what
    cdef int64_t first, end
    while next_chunk(&slopes.job.counter, slopes.job.n_rows, &first, &end):
        hb_probabilities(slopes.score, slopes.n_classes, slopes.job.n_rows, first, end, slopes.probabilities)


cdef void run_slopes(Slopes* slopes, hb_work work) noexcept nogil:
    """Run a function over all rows in the crew's threads."""
    cdef int i
    for i in range(MOST_CREW):
        slopes.most_gradient[i] = slopes.most_curve[i] = 0.0
        slopes.least_ratio[i] = INFINITY
        slopes.most_ratio[i] = 0.0
        slopes.total[i] = 0
    slopes.job.counter = 0
    hb_crew_run(slopes.job.crew, work, slopes)


cdef double unit_for(double most, const double* parts, int64_t n) noexcept nogil:
    """A power of two as a unit in which any sum of n numbers up to `most`, however rounded, fits in 31 bits."""
    cdef double total = 0.0
    cdef int exponent
    cdef int64_t i
    for i in range((n + CHUNK - 1) // CHUNK):
        total += parts[i]
    if not total > 0.0:
        return 1.0
    frexp(max(total / (2147483000.0 - <double>n), most / MOST_LEVELS), &exponent)
    return ldexp(1.0, max(exponent, -120))


def sample_rows(held_out, double share, uint64_t seed, uint64_t turn):
    """Rows to learn from, and the others, both in order; a row not held out is drawn with probability `share`."""
    cdef const uint8_t[::1] kept_out = held_out
    cdef int64_t n = kept_out.shape[0], i, n_used = 0, n_others = 0
    cdef uint32_t[::1] used = np.empty(n, np.uint32), others = np.empty(n, np.uint32)
    cdef uint64_t limit = <uint64_t>min(share * 4294967296.0, 4294967296.0)
    with nogil:
        for i in range(n):
            if not kept_out[i] and (share >= 1.0 or (mix(seed, turn, <uint64_t>i) >> 32) < limit):
                used[n_used] = <uint32_t>i
                n_used += 1
            else:
                others[n_others] = <uint32_t>i
                n_others += 1
    return np.asarray(used)[:n_used].copy(), np.asarray(others)[:n_others].copy()
