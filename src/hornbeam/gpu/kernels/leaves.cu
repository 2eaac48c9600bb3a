/* Values of leaves from the exact gradients of their rows, and the resulting scores. The kernels do nothing while the
   tree is not complete: the host launches them before it knows. */

__device__ __forceinline__ int is_leaf(const Node* node) { return node->number >= 0 && !node->divided; }

/* the chunks of rows of every leaf, in the order of the leaves; one block of 512 threads */
extern "C" __global__ void list_chunks(State* state, const Node* nodes, int64* leaf_of_chunk, int64* first_chunk) {
    __shared__ int64 warp_sums[16], before;
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    if (state->n_pairs) return;
    if (threadIdx.x == 0) before = 0;
    __syncthreads();
    for (int64 start = 0; start < state->n_stored; start += 512) {
        int64 i = start + threadIdx.x, own = 0;
        if (i < state->n_stored && is_leaf(&nodes[i])) own = (nodes[i].n_rows + CHUNK - 1) / CHUNK;
        int64 sum = own;
        for (int step = 1; step < 32; step <<= 1) {
            int64 other = __shfl_up_sync(0xffffffffu, sum, step);
            if (lane >= step) sum += other;
        }
        if (lane == 31) warp_sums[warp] = sum;
        __syncthreads();
        int64 first = before + sum - own, all = before;
        for (int k = 0; k < 16; k++) {
            if (k < warp) first += warp_sums[k];
            all += warp_sums[k];
        }
        if (own) first_chunk[i] = first;
        for (int from = 0; from < 32; from++) {  /* a warp writes the chunks of one leaf after the other */
            int64 its = __shfl_sync(0xffffffffu, own, from), at = __shfl_sync(0xffffffffu, first, from);
            for (int64 k = lane; k < its; k += 32) leaf_of_chunk[at + k] = i - lane + from;
        }
        __syncthreads();
        if (threadIdx.x == 0) before = all;
        __syncthreads();
    }
    if (threadIdx.x == 0) state->n_chunks = before;
}

#define BATCH 2048  /* rows of a chunk whose gradients are in shared memory */

/* exact gradients of up to CHUNK rows of a leaf: every second row in one sum, the others in another; a block per chunk */
extern "C" __global__ void sum_chunks(const Job* job, const State* state, const Node* nodes,
                                      const float* __restrict__ slope, const uint32* __restrict__ rows, int64 room,
                                      const int64* leaf_of_chunk, const int64* first_chunk, double* chunk_sums) {
    __shared__ float2 own[BATCH];
    __shared__ double part[4];
    int odd = threadIdx.x & 1, curve = threadIdx.x >> 1;
    if (state->n_pairs) return;
    for (int64 chunk = blockIdx.x; chunk < state->n_chunks; chunk += gridDim.x) {
        int64 leaf = leaf_of_chunk[chunk];
        const Node* node = &nodes[leaf];
        Rows list(state, node, rows, room);
        int64 start = (chunk - first_chunk[leaf]) * CHUNK;
        int64 end = start + CHUNK < node->n_rows ? start + CHUNK : node->n_rows;
        double sum = 0.0;
        for (; start < end; start += BATCH) {
            int size = (int)(end - start < BATCH ? end - start : BATCH);
            #pragma unroll 16
            for (int i = threadIdx.x; i < size; i += blockDim.x) {
                uint32 row = list[start + i];
                if (job->curved) own[i] = ((const float2*)slope)[row];
                else own[i] = make_float2(slope[row], 1.0f);
            }
            __syncthreads();
            if (threadIdx.x < 4) {
                const float* numbers = (const float*)own + curve;
                if (curve && !job->curved) sum += (double)((size + 1 - odd) / 2);
                else {
                    #pragma unroll 16
                    for (int i = odd; i < size; i += 2) sum += numbers[2 * i];
                }
            }
            __syncthreads();
        }
        if (threadIdx.x < 4) part[threadIdx.x] = sum;
        __syncthreads();
        if (threadIdx.x < 2) chunk_sums[2 * chunk + threadIdx.x] = part[2 * threadIdx.x] + part[2 * threadIdx.x + 1];
    }
}

/* one block: sums of leaves from their chunks, of other nodes from their children; then the values */
extern "C" __global__ void values(const Job* job, const State* state, Node* nodes, const int64* first_chunk,
                                  const double* chunk_sums) {
    if (state->n_pairs) return;
    for (int64 i = threadIdx.x; i < state->n_stored; i += blockDim.x) {
        Node* node = &nodes[i];
        if (!is_leaf(node)) continue;
        const double* own = chunk_sums + 2 * first_chunk[i];
        int64 n = (node->n_rows + CHUNK - 1) / CHUNK;
        double gradient = 0.0, curve = 0.0;
        #pragma unroll 8
        for (int64 k = 0; k < n; k++) {
            gradient += own[2 * k];
            curve += own[2 * k + 1];
        }
        node->gradient = gradient;
        node->curve = curve;
    }
    __syncthreads();
    if (threadIdx.x == 0)
        for (int64 i = state->n_stored - 1; i >= 0; i--) {  /* children come after their parents */
            Node* node = &nodes[i];
            if (!node->divided) continue;
            node->gradient = nodes[node->first_child].gradient + nodes[node->first_child + 1].gradient;
            node->curve = nodes[node->first_child].curve + nodes[node->first_child + 1].curve;
        }
    __syncthreads();
    for (int64 i = threadIdx.x; i < state->n_stored; i += blockDim.x) {
        Node* node = &nodes[i];
        node->value = 0.0;
        if (node->curve + job->l2 > 1e-30)
            node->value = job->shrink * best_value(node->gradient, node->curve, job->l1, job->l2, node->low, node->high);
    }
}

#define FEW_NODES 256  /* of a tree that are held in shared memory */

/* add the values of their leaves to the scores of all rows, also of those that the tree was not trained on */
extern "C" __global__ void add_values(const Job* job, const State* state, const Node* nodes, const Column* columns,
                                      const uint8* records, double* score) {
    __shared__ Split few[FEW_NODES];
    __shared__ int first_child[FEW_NODES];
    __shared__ float value[FEW_NODES];
    if (state->n_pairs) return;
    int n = (int)state->n_stored, fits = n <= FEW_NODES;
    if (fits)
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            few[i] = nodes[i].split;
            first_child[i] = nodes[i].divided ? nodes[i].first_child : -1;
            value[i] = (float)nodes[i].value;
        }
    __syncthreads();
    for (int64 i = blockIdx.x * (int64)blockDim.x + threadIdx.x; i < job->n_rows; i += (int64)gridDim.x * blockDim.x) {
        const uint8* record = records + i * job->stride;
        int at = 0;
        if (fits) {
            while (first_child[at] >= 0) {
                const Split* split = &few[at];
                at = first_child[at] + side_of(&columns[split->column], split, record[split->column]);
            }
            score[i] += value[at];
        } else {
            while (nodes[at].divided) {
                const Split* split = &nodes[at].split;
                at = nodes[at].first_child + side_of(&columns[split->column], split, record[split->column]);
            }
            score[i] += (float)nodes[at].value;
        }
    }
}
