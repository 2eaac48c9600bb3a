# Part of boost.pyx: pack columns into bytes of records.


cdef int32_t codes_of(const Column* column) noexcept nogil:
    return column.n_codes + column.has_missing


cdef int lay_out(Job* job) noexcept nogil:
    """Pack the active columns into bytes: small columns share one. Returns 1 if memory runs out."""
    cdef int32_t c, g, radix, chosen
    cdef Group* group
    for g in range(job.n_groups):
        free(job.groups[g].columns)
    job.n_groups = 0
    for c in range(job.n_columns):
        job.columns[c].group = -1
        if job.columns[c].codes == NULL or not job.active[c]:
            continue
        radix = codes_of(&job.columns[c])
        if radix < 2:  # nothing to split
            continue
        chosen = -1
        for g in range(job.n_groups):  # the first with room, so that neighbors stay together
            if job.groups[g].n_codes * radix <= BINS:
                chosen = g
                break
        if chosen < 0:
            chosen = job.n_groups
            group = &job.groups[chosen]
            group.n_codes = 1
            group.n_columns = 0
            group.columns = <int32_t*>malloc(8 * sizeof(int32_t))  # 2^8 codes at most
            if group.columns == NULL:
                return 1
            job.n_groups += 1
        group = &job.groups[chosen]
        job.columns[c].group = chosen
        job.columns[c].step = group.n_codes
        group.columns[group.n_columns] = c
        group.n_columns += 1
        group.n_codes *= radix
    job.stride = 8
    while job.stride < job.n_groups and job.stride < 64:
        job.stride *= 2
    if job.stride < job.n_groups:
        job.stride = (job.n_groups + 15) // 16 * 16
    return 0


cdef void write_records(Job* job, int64_t first, int64_t end) noexcept nogil:
    """Make the records of some rows, a few at a time, so that they stay in the cache."""
    cdef int64_t start, stop, i, stride = job.stride
    cdef int32_t g, k, step
    cdef const Group* group
    cdef const uint8_t* codes
    cdef uint8_t* record
    for start in range(first, end, 256):
        stop = min(start + 256, end)
        for g in range(job.n_groups):
            group = &job.groups[g]
            record = job.records + g
            codes = job.columns[group.columns[0]].codes
            for i in range(start, stop):
                record[i * stride] = codes[i]
            for k in range(1, group.n_columns):
                codes = job.columns[group.columns[k]].codes
                step = job.columns[group.columns[k]].step
                for i in range(start, stop):
                    record[i * stride] += <uint8_t>(codes[i] * step)


cdef bint next_chunk(int* counter, int64_t n, int64_t* first, int64_t* end) noexcept nogil:
    """Take the next of n rows that no thread has taken; False if there are no more."""
    first[0] = <int64_t>hb_crew_next(counter) * CHUNK
    end[0] = min(first[0] + CHUNK, n)
    return first[0] < n


cdef void records_work(void* what, int number) noexcept nogil:
    cdef Job* job = <Job*>what
    cdef int64_t first, end
    while next_chunk(&job.counter, job.n_rows, &first, &end):
        write_records(job, first, end)
