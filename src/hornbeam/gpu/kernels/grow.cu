/* One tree, grown leaf by leaf: the leaf with the greatest gain is divided first.

   The kernels work in rounds. A round divides the rows of up to AT_ONCE leaves with the greatest gains, also those whose
   turn comes later, and searches the splits of their children; then leaves are taken in their order, as long as the
   children of the next one are known. So the tree is that of dividing one leaf after the other. Every round is the same
   series of kernels, which read in State what to do:

   count_sides  which rows of the leaves take the first branch, and how many of each tile; the last block creates children
   divide       send rows to the branches, in order
   add_up       sums by bin of the smaller children
   search       the sums of the larger ones, and the best split of every column; the last block takes leaves in their
                order, and chooses those of the next round
   count_rows, search_again   the same where curves do not show whether branches have the minimum weight */

/* the rows of a node: row i of the list, or i itself where the list would hold all rows */
struct Rows {
    const uint32* list;
    __device__ Rows(const State* state, const Node* node, const uint32* rows, int64 room) {
        list = state->in_order && node->n_rows == state->n_used ? 0 : rows + node->buffer * room + node->begin;
    }
    __device__ __forceinline__ uint32 operator[](int64 i) const { return list ? list[i] : (uint32)i; }
};

/* the pair that a tile or a part belongs to; `part`: whether parts are meant */
__device__ __forceinline__ int pair_of(const State* state, int64 at, int part) {
    int low = 0, high = state->n_pairs - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if ((part ? state->pairs[middle].first_part : state->pairs[middle].first_tile) <= at) low = middle;
        else high = middle - 1;
    }
    return low;
}

/* which of two nodes are summed and searched; the larger takes over the parent's sums */
__device__ void open_pair(const Job* job, State* state, Pair* pair, int node, int small, int large, int64 n_small,
                          int64 n_large, int depth) {
    int deep = job->max_depth >= 0 && depth >= job->max_depth;
    pair->node = node;
    pair->unsure[0] = pair->unsure[1] = 0;
    pair->wanted[0] = !deep && n_small > 1 && (double)n_small >= 2 * job->min_weight;
    pair->wanted[1] = !deep && large >= 0 && n_large > 1 && (double)n_large >= 2 * job->min_weight;
    pair->subtract = pair->wanted[1];
    pair->small = pair->wanted[0] || pair->wanted[1] ? small : -1;
    pair->large = pair->wanted[1] ? large : -1;
}

/* the parts of rows that are summed; one thread */
__device__ void list_parts(State* state, const Node* nodes) {
    int64 n_parts = 0;
    for (int k = 0; k < state->n_pairs; k++) {
        state->pairs[k].first_part = n_parts;
        if (state->pairs[k].small >= 0) n_parts += (nodes[state->pairs[k].small].n_rows + PART_ROWS - 1) / PART_ROWS;
    }
    state->n_parts = n_parts;
}

__device__ void root_begin(const Job* job, State* state, Node* nodes, int64 n_used, int in_order) {
    double least = 1.0, most = 1.0;
    if (job->curved) {
        least = (double)state->least_word;
        most = (double)state->most_word;
    }
    double below = least * job->min_weight * (1.0 - 1e-9);
    state->least = below > state->floor ? below : state->floor;
    state->sure = job->min_weight <= 1.0 || !job->curved ? 0.0 : most * job->min_weight * (1 + 1e-9);
    state->n_stored = state->n_numbered = state->n_leaves = 1;
    state->n_slots = 1;
    state->first_new_slot = state->n_open = 0;
    state->n_used = n_used;
    state->in_order = in_order;
    state->n_unsure = 0;
    state->n_tiles = 0;
    Node root = Node();
    root.n_rows = n_used;
    root.first_child = root.split.column = -1;
    root.low = -INFINITE;
    root.high = INFINITE;
    root.total = (int64)state->total;
    nodes[0] = root;
    open_pair(job, state, &state->pairs[0], -1, 0, -1, n_used, 0, 0);
    state->n_pairs = job->max_leaves > 1 && !state->failed && state->pairs[0].small >= 0;
    list_parts(state, nodes);
}

/* one block */
extern "C" __global__ void tree_begin(const Job* job, State* state, Node* nodes, int64 n_used, int in_order, int64* sums,
                                      int64 slot_size) {
    if (threadIdx.x == 0) root_begin(job, state, nodes, n_used, in_order);
    for (int64 i = threadIdx.x; i < slot_size; i += blockDim.x) sums[i] = 0;
}

/* pass limits down: below a monotone split, neither side may cross the midpoint */
__device__ void limit_children(const Job* job, const State* state, const Column* columns, const Node* node, Node* one,
                               Node* other) {
    int monotone = columns[node->split.column].monotone;
    one->low = other->low = node->low;
    one->high = other->high = node->high;
    if (!monotone) return;
    double unit = state->gradient_unit / state->curve_unit, l1 = state->own_l1, l2 = state->own_l2;
    double middle = 0.5 * unit * (
        best_value((double)gradient_of(one->total), (double)curve_of(one->total), l1, l2, node->low / unit,
                   node->high / unit)
        + best_value((double)gradient_of(other->total), (double)curve_of(other->total), l1, l2, node->low / unit,
                     node->high / unit));
    middle = middle < node->low ? node->low : middle;
    middle = middle > node->high ? node->high : middle;
    if (monotone > 0) one->high = other->low = middle;
    else one->low = other->high = middle;
}

/* two children of a node, of whose rows `kept` take the first branch */
__device__ void make_children(const Job* job, State* state, Node* nodes, const Column* columns, Pair* pair, int64 kept) {
    int at = pair->node, first = nodes[at].first_child;
    Node node = nodes[at], one = Node(), other = Node();
    one.begin = node.begin;
    one.n_rows = kept;
    one.total = node.split.first_sum;
    other.begin = node.begin + kept;
    other.n_rows = node.n_rows - kept;
    other.total = node.total - one.total;
    one.depth = other.depth = node.depth + 1;
    one.first_child = other.first_child = -1;
    one.number = other.number = -1;
    one.buffer = other.buffer = 1 - node.buffer;
    one.slot = other.slot = -1;
    one.split.column = other.split.column = -1;
    limit_children(job, state, columns, &node, &one, &other);
    nodes[at].gain = 0.5 * node.split.gain * state->gradient_unit * state->gradient_unit / state->curve_unit;
    if (node.split.missing < 0) nodes[at].split.missing = other.n_rows > one.n_rows;
    int turned = other.n_rows < one.n_rows;
    open_pair(job, state, pair, at, first + turned, first + 1 - turned, turned ? other.n_rows : kept,
              turned ? kept : other.n_rows, node.depth + 1);
    if (pair->small >= 0) (turned ? other : one).slot = atomicAdd(&state->n_slots, 1);
    if (pair->large >= 0) (turned ? one : other).slot = node.slot;
    nodes[first] = one;
    nodes[first + 1] = other;
}

#define SIDE_THREADS 512

extern "C" __global__ void __launch_bounds__(SIDE_THREADS) count_sides(const Job* job, State* state, Node* nodes, const Column* columns,
                                       const uint8* codes, const uint32* rows, int64 room, int64* counts,
                                       uint32* stay_bits) {
    __shared__ uint8 side[BINS];
    __shared__ int kept;
    __shared__ int64 warp_sums[16], before;
    if (!state->n_pairs) return;
    int64 n_tiles = state->n_tiles, per_block = (n_tiles + gridDim.x - 1) / gridDim.x;
    int64 first = blockIdx.x * per_block, end = first + per_block < n_tiles ? first + per_block : n_tiles;
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, current = -1;
    if (first >= n_tiles) return;
    for (int64 tile = first; tile < end; tile++) {
        int number = pair_of(state, tile, 0), stay = 0;
        const Node* node = &nodes[state->pairs[number].node];
        int64 start = (tile - state->pairs[number].first_tile) * TILE, n_rows = node->n_rows;
        const uint8* own = codes + node->split.column * job->n_rows;
        Rows list(state, node, rows, room);
        __syncthreads();
        if (number != current && threadIdx.x < BINS)
            side[threadIdx.x] = side_of(&columns[node->split.column], &node->split, threadIdx.x);
        current = number;
        if (threadIdx.x == 0) kept = 0;
        __syncthreads();
        uint32 row[TILE / SIDE_THREADS];  /* all are read before any is used: reading takes long */
        uint8 code[TILE / SIDE_THREADS];
        #pragma unroll
        for (int k = 0; k < TILE / SIDE_THREADS; k++) {
            int64 i = start + k * SIDE_THREADS + threadIdx.x;
            row[k] = list[i < n_rows ? i : start];
        }
        #pragma unroll
        for (int k = 0; k < TILE / SIDE_THREADS; k++) code[k] = own[row[k]];
        #pragma unroll
        for (int k = 0; k < TILE / SIDE_THREADS; k++) {
            int i = k * SIDE_THREADS + threadIdx.x;
            uint32 votes = __ballot_sync(0xffffffffu, start + i < n_rows && !side[code[k]]);
            if (lane == 0) {
                stay_bits[tile * (TILE / 32) + (i >> 5)] = votes;
                stay += __popc(votes);
            }
        }
        if (lane == 0) atomicAdd(&kept, stay);
        __syncthreads();
        if (threadIdx.x == 0) counts[tile] = kept;
    }
    if (!is_last(state, (uint32)((n_tiles + per_block - 1) / per_block))) return;
    /* how many rows stay before each tile, over all pairs */
    if (threadIdx.x == 0) before = 0;
    __syncthreads();
    for (int64 from = 0; from < n_tiles; from += blockDim.x) {
        int64 tile = from + threadIdx.x, own = tile < n_tiles ? __ldcg(&counts[tile]) : 0, sum = own;
        for (int step = 1; step < 32; step <<= 1) {
            int64 other = __shfl_up_sync(0xffffffffu, sum, step);
            if (lane >= step) sum += other;
        }
        if (lane == 31) warp_sums[warp] = sum;
        __syncthreads();
        int64 base = before, all = before;
        for (int k = 0; k < 16; k++) {
            if (k < warp) base += warp_sums[k];
            all += warp_sums[k];
        }
        if (tile < n_tiles) counts[tile] = base + sum - own;
        __syncthreads();
        if (threadIdx.x == 0) before = all;
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        counts[n_tiles] = before;
        state->first_new_slot = state->n_slots;
    }
    __syncthreads();
    for (int k = threadIdx.x; k < state->n_pairs; k += blockDim.x) {
        Pair* pair = &state->pairs[k];
        make_children(job, state, nodes, columns, pair, counts[pair->end_tile] - counts[pair->first_tile]);
    }
    __syncthreads();
    if (threadIdx.x == 0) list_parts(state, nodes);
}

/* a warp moves 1024 rows at a time; and the sums of new nodes are set to zero */
extern "C" __global__ void divide(const State* state, const Node* nodes, uint32* rows, int64 room, const int64* counts,
                                  const uint32* stay_bits, int64* sums, int64 slot_size) {
    if (!state->n_pairs) return;
    int lane = threadIdx.x & 31;
    int64 thread = blockIdx.x * (int64)blockDim.x + threadIdx.x, n_threads = (int64)gridDim.x * blockDim.x;
    for (int64 part = thread / 32; part < state->n_tiles * PARTS; part += n_threads / 32) {
        int64 tile = part / PARTS;
        const Pair* pair = &state->pairs[pair_of(state, tile, 0)];
        const Node* node = &nodes[pair->node];
        Rows list(state, node, rows, room);
        uint32* to = rows + (1 - node->buffer) * room + node->begin;
        int64 n_rows = node->n_rows, kept = nodes[node->first_child].n_rows;
        int64 stay = counts[tile] - counts[pair->first_tile], from = (part - pair->first_tile * PARTS) * 1024;
        int own = stay_bits[part * 32 + lane], earlier = 0;
        if (from >= n_rows) continue;
        for (int64 k = tile * PARTS * 32 + lane; k < part * 32; k += 32) earlier += __popc(stay_bits[k]);
        stay += __reduce_add_sync(0xffffffffu, earlier);
        int upto = __popc(own);
        for (int step = 1; step < 32; step <<= 1) {
            int lower = __shfl_up_sync(0xffffffffu, upto, step);
            if (lane >= step) upto += lower;
        }
        #pragma unroll 8
        for (int k = 0; k < 32; k++) {
            uint32 votes = __shfl_sync(0xffffffffu, own, k);
            int before_word = k ? __shfl_sync(0xffffffffu, upto, k - 1) : 0;
            int64 i = from + k * 32 + lane, staying = stay + before_word + __popc(votes & ((1u << lane) - 1));
            if (i < n_rows) to[votes >> lane & 1 ? staying : kept + i - staying] = list[i];
        }
    }
    int64* fresh = sums + state->first_new_slot * slot_size;
    for (int64 i = thread; i < (state->n_slots - state->first_new_slot) * slot_size; i += n_threads) fresh[i] = 0;
}

/* ---- sums by bin: of some columns (blockIdx.y) and a range of the parts of rows (blockIdx.x) ---- */

#define COLUMNS_AT_ONCE 28

struct Cells {  /* what a row adds, and where */
    uint32 gradient, curve, four[COLUMNS_AT_ONCE / 4];
    __device__ __forceinline__ void read(uint32 row, const int64* words, const uint8* records, int stride, int n) {
        const uint32* record = (const uint32*)(records + row * (int64)stride);
        int64 word = words[row];
        #pragma unroll
        for (int quad = 0; quad < COLUMNS_AT_ONCE / 4; quad++) four[quad] = 4 * quad < n ? record[quad] : 0;
        gradient = (uint32)(word >> 32);
        curve = (uint32)word;
    }
    __device__ __forceinline__ void add(uint32* cells, uint32* curves, int n) const {
        #pragma unroll
        for (int k = 0; k < COLUMNS_AT_ONCE; k++) {
            if (k >= n) break;
            int cell = k * BINS + ((four[k >> 2] >> (8 * (k & 3))) & 255);
            atomicAdd(&cells[cell], gradient);
            atomicAdd(&curves[cell], curve);
        }
    }
};

extern "C" __global__ void __launch_bounds__(1024, 2) add_up(const Job* job, const State* state, const Node* nodes, const uint8* records,
                                  const int64* words, const uint32* rows, int64 room, int64* sums, int64 slot_size) {
    extern __shared__ uint32 cells[];  /* gradients of all bins, then curves */
    int64 n_parts = state->n_pairs ? state->n_parts : 0, per_block = (n_parts + gridDim.x - 1) / gridDim.x;
    int64 part = blockIdx.x * per_block, end = part + per_block < n_parts ? part + per_block : n_parts;
    int first = blockIdx.y * COLUMNS_AT_ONCE;
    int n = job->n_columns - first < COLUMNS_AT_ONCE ? job->n_columns - first : COLUMNS_AT_ONCE, size = n * BINS;
    uint32* curves = cells + size;
    if (part >= end) return;
    for (int i = threadIdx.x; i < 2 * size; i += blockDim.x) cells[i] = 0;
    while (part < end) {
        const Pair* pair = &state->pairs[pair_of(state, part, 1)];
        const Node* node = &nodes[pair->small];
        int64 n_rows = node->n_rows, from = (part - pair->first_part) * PART_ROWS;
        int64 left = (n_rows - from + PART_ROWS - 1) / PART_ROWS, n_own = left < end - part ? left : end - part;
        int64 stop = from + n_own * PART_ROWS < n_rows ? from + n_own * PART_ROWS : n_rows;
        Rows list(state, node, rows, room);
        __syncthreads();
        uint32 next = from + threadIdx.x < stop ? list[from + threadIdx.x] : 0;
        for (int64 i = from + threadIdx.x; i < stop; i += blockDim.x) {
            uint32 row = next;
            Cells own;
            if (i + blockDim.x < stop) next = list[i + blockDim.x];
            own.read(row, words, records + first, job->stride, n);
            own.add(cells, curves, n);
        }
        __syncthreads();
        int64* out = sums + node->slot * slot_size + (int64)first * BINS;
        for (int i = threadIdx.x; i < size; i += blockDim.x)
            if (curves[i]) {
                atomicAdd((uint64*)&out[i], (uint64)((int64)(int)cells[i] * 4294967296LL + (int64)curves[i]));
                cells[i] = curves[i] = 0;
            }
        part += n_own;
    }
}
