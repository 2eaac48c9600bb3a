/* The best split of every column, and which leaves are divided next. */

#define VERIFIED -2  /* as the column of a candidate: the split found first has the minimum weight */

struct Candidate {  /* of a column */
    Split split;
    double top;  /* the most that its splits gain */
};

struct Shared {  /* what a block works in */
    int64 running[BINS + 1];
    double number[BINS + 1];
    double best[8];
    int best_at[8];
    int64 warp_sums[8];
    int n_warp[8];
    int order[BINS + 1];
    int64 first;
    int place;
};

/* running sums over the 256 threads of a block, each thread's own included */
__device__ int64 scan(Shared* shared, int64 own) {
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    for (int step = 1; step < 32; step <<= 1) {
        int64 other = __shfl_up_sync(0xffffffffu, own, step);
        if (lane >= step) own += other;
    }
    __syncthreads();
    if (lane == 31) shared->warp_sums[warp] = own;
    __syncthreads();
    for (int k = 0; k < warp; k++) own += shared->warp_sums[k];
    return own;
}

/* the greatest number of a block, and the lowest position that has it */
__device__ void greatest(Shared* shared, double own, int at, double* best, int* best_at) {
    for (int step = 16; step; step >>= 1) {
        double other = __shfl_down_sync(0xffffffffu, own, step);
        int other_at = __shfl_down_sync(0xffffffffu, at, step);
        if (other > own || (other == own && other_at < at)) {
            own = other;
            at = other_at;
        }
    }
    __syncthreads();
    if ((threadIdx.x & 31) == 0) {
        shared->best[threadIdx.x >> 5] = own;
        shared->best_at[threadIdx.x >> 5] = at;
    }
    __syncthreads();
    *best = shared->best[0];
    *best_at = shared->best_at[0];
    for (int k = 1; k < 8; k++)
        if (shared->best[k] > *best || (shared->best[k] == *best && shared->best_at[k] < *best_at)) {
            *best = shared->best[k];
            *best_at = shared->best_at[k];
        }
}

/* cuts of an ordered column, with missing values on either side; `counts`: rows by code, or NULL */
__device__ void search_numeric(const Job* job, const State* state, const Node* node, const Column* column, int c,
                               const int64* sums, const int* counts, double parent, Shared* shared, Candidate* out) {
    int n = column->n_codes, b = threadIdx.x, at;
    int64 own = b < n ? sums[b] : 0, missing = column->has_missing ? sums[n] : 0;
    int64 running = scan(shared, own);
    int64 counted = counts ? scan(shared, b < n ? counts[b] : 0) : 0;
    int plain = !(job->limited || job->l1 > 0.0 || counts);
    double node_g = (double)gradient_of(node->total), node_h = (double)curve_of(node->total);
    double found, best = 0.0, l2 = state->own_l2, top = 0.0;
    for (int way = 0; way < (missing ? 2 : 1); way++) {
        double gain = -INFINITE;
        int64 first = running + (way ? missing : 0);
        int n_cuts = missing && way == 0 ? n : n - 1;
        if (plain && b < n) {
            double extra_g = way ? (double)gradient_of(missing) : 0.0, extra_h = way ? (double)curve_of(missing) : 0.0;
            double g = (double)(int)(running >> 32) + extra_g, h = (double)(uint32)running + extra_h;
            double rest_g = node_g - g, rest_h = node_h - h, score = 0.0;
            double a = h + l2, d = rest_h + l2;
            if (h >= state->least && rest_h >= state->least) score = (g * g * d + rest_g * rest_g * a) / (a * d);
            gain = score - parent;
        } else if (!plain && b < n_cuts) {
            double count = counts ? (double)(counted + (way ? counts[n] : 0)) : -1.0;
            if (heavy_enough(job, state, node, first, count))
                gain = worth_of_cut(job, state, node, first, column->monotone) - parent;
        }
        greatest(shared, gain, b, &found, &at);
        if (found > top) top = found;
        if (found > best && threadIdx.x == at) {
            out->split.gain = found;
            out->split.column = c;
            out->split.cut = b;
            out->split.missing = missing == 0 ? -1 : way == 1 ? 0 : 1;
            out->split.first_sum = first;
        }
        if (found > best) best = found;
        __syncthreads();
    }
    if (threadIdx.x == 0) out->top = top;
}

/* sets of categories in the order of their gradients: those before a position against those after it */
__device__ void search_nominal(const Job* job, const State* state, const Node* node, const Column* column, int c,
                               const int64* sums, const int* counts, double parent, Shared* shared, Candidate* out) {
    int n_codes = column->n_codes + column->has_missing, code = threadIdx.x, rank = 0, at;
    int64 own = code < n_codes ? sums[code] : 0;
    int n = (int)__syncthreads_count(own != 0);
    double key = (double)gradient_of(own) / ((double)curve_of(own) + state->own_smoothing), found;
    shared->number[code] = key;
    shared->running[code] = own;
    __syncthreads();
    if (own)
        for (int other = 0; other < n_codes; other++)
            rank += shared->running[other] != 0
                    && (shared->number[other] < key || (shared->number[other] == key && other < code));
    __syncthreads();
    if (own) shared->order[rank] = code;
    __syncthreads();
    int place = threadIdx.x, its = place < n ? shared->order[place] : -1;
    int64 first = scan(shared, its < 0 ? 0 : sums[its]);
    int64 counted = counts ? scan(shared, its < 0 ? 0 : counts[its]) : 0;
    double charge = state->own_charge * (double)(n - 2), gain = -INFINITE;
    if (place < n - 1 && heavy_enough(job, state, node, first, counts ? (double)counted : -1.0))
        gain = worth_of_cut(job, state, node, first, 0) - parent - charge;
    greatest(shared, gain, place, &found, &at);
    if (threadIdx.x == 0) out->top = found > 0.0 ? found : 0.0;
    if (!(found > 0.0)) return;
    if (threadIdx.x == at) shared->first = first;
    __syncthreads();
    if (threadIdx.x) return;
    /* the lighter side is listed as the first branch; a side with only missing values has nothing to list */
    int absent = column->n_codes, turned = 2 * curve_of(shared->first) > curve_of(node->total);
    if (!turned && at == 0 && shared->order[0] == absent) turned = 1;
    else if (turned && at == n - 2 && shared->order[n - 1] == absent) turned = 0;
    Split* split = &out->split;
    split->gain = found;
    split->column = c;
    split->missing = 1;
    split->cut = turned ? -1 - at : at;
    split->first_sum = turned ? node->total - shared->first : shared->first;
    for (int i = 0; i < n; i++) {
        if ((i <= at) == turned) continue;
        if (shared->order[i] == absent) split->missing = 0;
        else split->codes[shared->order[i] >> 6] |= 1ULL << (shared->order[i] & 63);
    }
}

__device__ void search_column(const Job* job, const State* state, const Node* node, const Column* column, int c,
                              const int64* sums, const int* counts, Shared* shared, Candidate* out) {
    double parent = worth_of_node(job, state, node);
    if (threadIdx.x == 0) {
        out->split = Split();
        out->split.column = -1;
        out->top = 0.0;
    }
    __syncthreads();
    if (column->n_codes + column->has_missing < 2) return;  /* nothing to split */
    if (column->nominal) search_nominal(job, state, node, column, c, sums, counts, parent, shared, out);
    else search_numeric(job, state, node, column, c, sums, counts, parent, shared, out);
}

/* ---- the best split of a node, verified by counting rows where that is needed ---- */

__device__ __forceinline__ int takes_over(double gain, int column, double best, int best_column) {
    return column >= 0 && (gain > best || (gain == best && gain > 0.0 && column < best_column));
}

__device__ __forceinline__ void copy_split(Split* to, const Split* from) {
    const uint64* words = (const uint64*)from;
    for (int i = 0; i < (int)(sizeof(Split) / 8); i++) ((uint64*)to)[i] = __ldcg(words + i);
}

__device__ __forceinline__ int node_of(const Pair* pair, int which) { return which ? pair->large : pair->small; }

/* one warp: the best of all columns' splits; whether it must be verified */
__device__ void choose(const Job* job, State* state, Node* nodes, const Candidate* candidates, int item) {
    int lane = threadIdx.x & 31, which = item & 1, column = -1;
    Pair* pair = &state->pairs[item >> 1];
    if (node_of(pair, which) < 0 || !pair->wanted[which]) return;
    Node* node = &nodes[node_of(pair, which)];
    const Candidate* own = candidates + (int64)item * job->n_columns;
    double gain = 0.0;
    for (int c = lane; c < job->n_columns; c += 32) {
        double its = __ldcg(&own[c].split.gain);
        int found = __ldcg(&own[c].split.column);
        if (takes_over(its, found, gain, column)) {
            gain = its;
            column = found;
        }
    }
    for (int step = 16; step; step >>= 1) {
        double its = __shfl_xor_sync(0xffffffffu, gain, step);
        int found = __shfl_xor_sync(0xffffffffu, column, step);
        if (takes_over(its, found, gain, column)) {
            gain = its;
            column = found;
        }
    }
    if (lane) return;
    node->split.column = -1;
    if (column < 0) return;
    copy_split(&node->split, &own[column].split);
    double first = (double)curve_of(node->split.first_sum), rest = (double)curve_of(node->total) - first;
    if (first >= state->sure && rest >= state->sure) return;
    pair->unsure[which] = 1;
    atomicAdd(&state->n_unsure, 1);
}

/* the most promising columns first; a column whose bound is below the best gain is not looked at */
__device__ void choose_again(const Job* job, Candidate* candidates, const Candidate* again, Node* node) {
    double gain = 0.0;
    int column = -1;
    for (;;) {
        int next = -1;
        for (int c = 0; c < job->n_columns; c++)
            if (candidates[c].top > 0.0 && (next < 0 || candidates[c].top > candidates[next].top)) next = c;
        if (next < 0 || candidates[next].top < gain) break;
        candidates[next].top = 0.0;
        double its = __ldcg(&again[next].split.gain);
        int found = __ldcg(&again[next].split.column);
        if (takes_over(its, found, gain, column)) {
            gain = its;
            column = found;
        }
    }
    node->split.column = -1;
    if (column >= 0) copy_split(&node->split, &again[column].split);
}

/* ---- the order of leaves; one block of 256 threads ---- */

struct Open {  /* a leaf that may be divided */
    double gain;
    int number, node;
    int child;  /* the first child, if its rows have been divided or are in the next round; otherwise -1 */
    int seen;  /* by `choose_leaves` */
};

#define FEW_OPEN 1024  /* that are held in shared memory */

__device__ void add_open(const State* state, const Node* nodes, Open* open, int* n_open, int at) {
    const Node* node = &nodes[at];
    if (node->split.column < 0 || !(node->split.gain > state->own_gain)) return;
    Open own = {node->split.gain, node->number, at, node->first_child, 0};
    open[(*n_open)++] = own;
}

/* the position of the first of the open leaves in the order of gains, of equal ones the lowest number; -1: none */
__device__ int first_open(const Open* open, int n_open, int unseen, Shared* shared) {
    double best = -INFINITE, gain;
    int number = 0x7fffffff, at = -1, found;
    for (int i = threadIdx.x; i < n_open; i += blockDim.x) {
        if (unseen && open[i].seen) continue;
        if (open[i].gain > best || (open[i].gain == best && open[i].number < number)) {
            best = open[i].gain;
            number = open[i].number;
            at = i;
        }
    }
    if (threadIdx.x == 0) shared->place = -1;
    greatest(shared, best, number, &gain, &found);
    if (at >= 0 && number == found) shared->place = at;
    __syncthreads();
    return shared->place;
}

/* take leaves in their order while the children of the next one are known */
__device__ void take_open(const Job* job, State* state, Node* nodes, Open* open, int* n_open, Shared* shared) {
    while (state->n_leaves < job->max_leaves) {
        int at = first_open(open, *n_open, 0, shared), child = at < 0 ? -1 : open[at].child;
        if (child < 0) return;
        __syncthreads();
        if (threadIdx.x == 0) {
            nodes[open[at].node].divided = 1;
            open[at] = open[--*n_open];
            state->n_leaves++;
            for (int which = 0; which < 2; which++) {
                nodes[child + which].number = (int)state->n_numbered++;
                add_open(state, nodes, open, n_open, child + which);
            }
        }
        __syncthreads();
    }
}

/* Choose the leaves whose rows are divided in the next round. A leaf of gain g is taken after those with more gain and
   after their descendants with more gain: of a leaf of gain G these may be G / g - 1, of which half are expected. */
__device__ void choose_leaves(const Job* job, State* state, Node* nodes, Open* open, int n_open, Shared* shared) {
    int n_pairs = 0;
    int64 n_tiles = 0, left = job->max_leaves - state->n_leaves;
    double n_before = 0.0, gain_before = 0.0;
    for (int i = threadIdx.x; i < n_open; i += blockDim.x) open[i].seen = 0;
    __syncthreads();
    while (n_pairs < AT_ONCE && n_pairs < left) {
        int at = first_open(open, n_open, 1, shared);
        if (at < 0) break;
        double gain = open[at].gain;
        if (0.5 * (n_before + gain_before / gain) >= (double)left) break;
        int fresh = open[at].child < 0;
        int64 tiles = (nodes[open[at].node].n_rows + TILE - 1) / TILE;
        __syncthreads();
        if (threadIdx.x == 0) {
            open[at].seen = 1;
            if (fresh) {
                Pair* pair = &state->pairs[n_pairs];
                pair->node = open[at].node;
                pair->first_tile = n_tiles;
                pair->end_tile = n_tiles + tiles;
                open[at].child = nodes[open[at].node].first_child = (int)state->n_stored + 2 * n_pairs;
            }
        }
        n_before += 1.0;
        gain_before += gain;
        if (fresh) {
            n_tiles += tiles;
            n_pairs++;
        }
        __syncthreads();
    }
    if (threadIdx.x) return;
    state->n_stored += 2 * n_pairs;
    state->n_pairs = n_pairs;
    state->n_tiles = n_tiles;
}

/* one block of 256 threads */
__device__ void go_on(const Job* job, State* state, Node* nodes, Open* open, Shared* shared) {
    __shared__ Open few[FEW_OPEN];
    __shared__ int n_open;
    int n = state->n_open, fits = n + 2 * AT_ONCE + 2 * job->max_leaves - 2 * state->n_leaves < FEW_OPEN;
    Open* own = fits ? few : open;
    if (fits)
        for (int i = threadIdx.x; i < n; i += blockDim.x) few[i] = open[i];
    __syncthreads();
    if (threadIdx.x == 0) {
        n_open = n;
        if (state->n_stored == 1) add_open(state, nodes, own, &n_open, 0);
    }
    __syncthreads();
    take_open(job, state, nodes, own, &n_open, shared);
    choose_leaves(job, state, nodes, own, n_open, shared);
    __syncthreads();
    if (fits)
        for (int i = threadIdx.x; i < n_open; i += blockDim.x) open[i] = few[i];
    if (threadIdx.x == 0) state->n_open = n_open;
}

extern "C" __global__ void search(const Job* job, State* state, Node* nodes, const Column* columns, const uint8* active,
                                  int64* sums, int64 slot_size, Candidate* candidates, Open* open) {
    __shared__ Shared shared;
    int c = blockIdx.x, item = blockIdx.y, which = item & 1;
    if (item >= 2 * state->n_pairs) return;
    const Pair* pair = &state->pairs[item >> 1];
    if (node_of(pair, which) >= 0) {
        const Node* node = &nodes[node_of(pair, which)];
        int64* own = sums + node->slot * slot_size + (int64)c * BINS;
        Candidate* out = &candidates[(int64)item * job->n_columns + c];
        if (which == 1 && pair->subtract) {
            const int64* small = sums + nodes[pair->small].slot * slot_size + (int64)c * BINS;
            own[threadIdx.x] -= small[threadIdx.x];
            __syncthreads();
        }
        if (!active[c]) {
            if (threadIdx.x == 0) {
                out->split.column = -1;
                out->top = 0.0;
            }
        } else if (pair->wanted[which])
            search_column(job, state, node, &columns[c], c, own, 0, &shared, out);
    }
    if (!is_last(state, (uint32)(2 * job->n_columns * state->n_pairs))) return;
    for (int next = threadIdx.x >> 5; next < 2 * state->n_pairs; next += 8) choose(job, state, nodes, candidates, next);
    __syncthreads();
    if (!__ldcg(&state->n_unsure)) go_on(job, state, nodes, open, &shared);
}

/* rows by code of every column, for nodes whose best split must be verified */
extern "C" __global__ void count_rows(const Job* job, const State* state, const Node* nodes, const uint8* records,
                                      const uint32* rows, int64 room, int* counts) {
    extern __shared__ uint32 cells[];
    if (!state->n_unsure) return;
    int first = blockIdx.y * COLUMNS_AT_ONCE;
    int n = job->n_columns - first < COLUMNS_AT_ONCE ? job->n_columns - first : COLUMNS_AT_ONCE, size = n * BINS;
    for (int item = 0; item < 2 * state->n_pairs; item++) {
        const Pair* pair = &state->pairs[item >> 1];
        if (!pair->unsure[item & 1]) continue;
        const Node* node = &nodes[node_of(pair, item & 1)];
        if (blockIdx.x * (int64)PART_ROWS >= node->n_rows) continue;
        __syncthreads();
        for (int i = threadIdx.x; i < size; i += blockDim.x) cells[i] = 0;
        __syncthreads();
        Rows list(state, node, rows, room);
        for (int64 part = blockIdx.x; part * PART_ROWS < node->n_rows; part += gridDim.x)
            for (int64 i = part * PART_ROWS + threadIdx.x; i < (part + 1) * PART_ROWS && i < node->n_rows; i += blockDim.x) {
                const uint8* record = records + list[i] * (int64)job->stride + first;
                for (int k = 0; k < n; k++) atomicAdd(&cells[k * BINS + record[k]], 1u);
            }
        __syncthreads();
        int* out = counts + ((int64)item * job->n_columns + first) * BINS;
        for (int i = threadIdx.x; i < size; i += blockDim.x)
            if (cells[i]) atomicAdd(&out[i], (int)cells[i]);
    }
}

/* whether the best split has the minimum weight on both sides; otherwise the column is searched by counted rows */
__device__ void verify(const Job* job, const State* state, const Node* node, const Column* columns, const uint8* active,
                       const int64* sums, const int* counts, Candidate* again, Shared* shared) {
    __shared__ int kept;
    int c = blockIdx.x;
    const Split* split = &node->split;
    const Column* column = &columns[split->column];
    const int* own = counts + (int64)split->column * BINS;
    if (threadIdx.x == 0) kept = 0;
    __syncthreads();
    if (threadIdx.x < column->n_codes + column->has_missing && !side_of(column, split, threadIdx.x) && own[threadIdx.x])
        atomicAdd(&kept, own[threadIdx.x]);
    __syncthreads();
    int sound = (double)kept >= job->min_weight && (double)node->n_rows - kept >= job->min_weight;
    if (threadIdx.x == 0) again[c].split.column = sound ? VERIFIED : -1;
    if (sound || !active[c]) return;
    search_column(job, state, node, &columns[c], c, sums + (int64)c * BINS, counts + (int64)c * BINS, shared, &again[c]);
}

extern "C" __global__ void search_again(const Job* job, State* state, Node* nodes, const Column* columns,
                                        const uint8* active, const int64* sums, int64 slot_size, int* counts,
                                        Candidate* candidates, Candidate* again, Open* open) {
    __shared__ Shared shared;
    int item = blockIdx.y;
    if (!state->n_unsure || item >= 2 * state->n_pairs) return;
    Pair* pair = &state->pairs[item >> 1];
    if (pair->unsure[item & 1]) {
        const Node* node = &nodes[node_of(pair, item & 1)];
        int64 first = (int64)item * job->n_columns;
        verify(job, state, node, columns, active, sums + node->slot * slot_size, counts + first * BINS, again + first,
               &shared);
    }
    if (!is_last(state, (uint32)(2 * job->n_columns * state->n_pairs))) return;
    for (item = 0; item < 2 * state->n_pairs; item++) {
        pair = &state->pairs[item >> 1];
        int64 first = (int64)item * job->n_columns;
        if (!pair->unsure[item & 1]) continue;
        for (int64 i = threadIdx.x; i < job->n_columns * BINS; i += blockDim.x) counts[first * BINS + i] = 0;
        if (threadIdx.x == 0 && __ldcg(&again[first].split.column) != VERIFIED)
            choose_again(job, candidates + first, again + first, &nodes[node_of(pair, item & 1)]);
    }
    __syncthreads();
    if (threadIdx.x == 0) state->n_unsure = 0;
    __syncthreads();
    go_on(job, state, nodes, open, &shared);
}
