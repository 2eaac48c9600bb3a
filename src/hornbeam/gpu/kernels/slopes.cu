/* Gradients of all rows, their sums by chunks of rows, and their rounding to integers. */

enum { SQUARED, ABSOLUTE, HUBER, QUANTILE, POISSON, LOGISTIC, MULTINOMIAL };

/* probabilities of the classes, a row per thread; scores and probabilities class by class */
extern "C" __global__ void probabilities(const double* score, int n_classes, int64 n, float* probability) {
    for (int64 i = blockIdx.x * (int64)blockDim.x + threadIdx.x; i < n; i += (int64)gridDim.x * blockDim.x) {
        double most = score[i], total = 0.0;
        for (int k = 1; k < n_classes; k++) {
            double own = score[k * n + i];
            most = own > most ? own : most;
        }
        for (int k = 0; k < n_classes; k++) {
            double power = plain_exp(score[k * n + i] - most);
            total += power;
            probability[k * n + i] = (float)power;
        }
        total = 1.0 / total;
        for (int k = 0; k < n_classes; k++)
            probability[k * n + i] = (float)(probability[k * n + i] * total);
    }
}

__device__ __forceinline__ float2 slope_of(int loss, double score, double target, float chance, double parameter,
                                           double which) {
    double off = score - target, share;
    switch (loss) {
    case SQUARED:
        return make_float2((float)off, 1.0f);
    case ABSOLUTE:
        return make_float2((float)((off > 0.0) - (off < 0.0)), 1.0f);
    case HUBER:
        off = off > parameter ? parameter : off;
        return make_float2((float)(off < -parameter ? -parameter : off), 1.0f);
    case QUANTILE:
        return make_float2((float)(off > 0.0 ? 1.0 - parameter : off < 0.0 ? -parameter : 0.0), 1.0f);
    case POISSON:
        share = plain_exp(score);
        return make_float2((float)(share - target), (float)share);
    case LOGISTIC:
        share = 1.0 / (1.0 + plain_exp(-score));
        return make_float2((float)(share - target), (float)(share * (1.0 - share)));
    default:
        share = chance;
        return make_float2((float)(share - (target == which ? 1.0 : 0.0)), (float)(parameter * share * (1.0 - share)));
    }
}

__device__ __forceinline__ double part_of(float2 own, int which_sum) {
    double one = which_sum == 1 ? own.y : own.x;
    return which_sum == 2 ? one * one : fabs(one);
}

#define SLOPES_AT_ONCE 2048  /* rows of a chunk whose gradients are in shared memory */

/* a block per chunk; sums in eight parts, in the order of core/forests/boost/slopes.h */
extern "C" __global__ void slopes(const Job* job, State* state, const double* score, const double* target,
                                  const float* chance, double parameter, double which, float* slope,
                                  double* chunk_sums) {
    __shared__ float2 own[SLOPES_AT_ONCE];
    __shared__ double part[3][8];
    __shared__ uint32 most[2];
    int64 first = blockIdx.x * (int64)CHUNK, end = first + CHUNK < job->n_rows ? first + CHUNK : job->n_rows;
    int curved = job->curved, k = threadIdx.x & 7, which_sum = threadIdx.x >> 3;
    uint32 top = 0, top_curve = 0;
    double sum = 0.0;
    if (threadIdx.x < 2) most[threadIdx.x] = 0;
    for (; first < end; first += SLOPES_AT_ONCE) {
        int size = (int)(end - first < SLOPES_AT_ONCE ? end - first : SLOPES_AT_ONCE), whole = size & ~7;
        #pragma unroll 4
        for (int i = threadIdx.x; i < size; i += blockDim.x) {
            float2 found = slope_of(job->loss, score[first + i], target[first + i], chance ? chance[first + i] : 0.0f,
                                    parameter, which);
            own[i] = found;
            if (curved) ((float2*)slope)[first + i] = found;
            else slope[first + i] = found.x;
            top = max(top, __float_as_uint(found.x) & 0x7fffffffu);
            top_curve = max(top_curve, __float_as_uint(found.y) & 0x7fffffffu);
        }
        __syncthreads();
        if (threadIdx.x < 24) {
            #pragma unroll 16
            for (int i = k; i < whole; i += 8) sum += part_of(own[i], which_sum);
            if (k == 0)
                for (int i = whole; i < size; i++) sum += part_of(own[i], which_sum);
        }
        __syncthreads();
    }
    top = __reduce_max_sync(0xffffffffu, top);
    top_curve = __reduce_max_sync(0xffffffffu, top_curve);
    if ((threadIdx.x & 31) == 0) {
        atomicMax(&most[0], top);
        atomicMax(&most[1], top_curve);
    }
    if (threadIdx.x < 24) part[which_sum][k] = sum;
    __syncthreads();
    if (threadIdx.x < 3) {
        const double* p = part[threadIdx.x];
        chunk_sums[threadIdx.x * job->n_chunks + blockIdx.x] =
            ((p[0] + p[1]) + (p[2] + p[3])) + ((p[4] + p[5]) + (p[6] + p[7]));
    }
    if (threadIdx.x == 0) {
        atomicMax(&state->most_bits[0], most[0]);
        atomicMax(&state->most_bits[1], most[1]);
    }
}

/* a power of two as a unit in which any sum of n numbers up to `most`, however rounded, fits in 31 bits */
__device__ double unit_for(double most, double total, int64 n) {
    int exponent;
    if (!(total > 0.0)) return 1.0;
    double sum = total / (2147483000.0 - (double)n), top = most / 4194304.0;
    frexp(sum > top ? sum : top, &exponent);
    return ldexp(1.0, exponent > -120 ? exponent : -120);
}

/* the units of a tree; one block */
extern "C" __global__ void units(const Job* job, State* state, const double* chunk_sums) {
    __shared__ double sum[3], part[3][512];
    int64 n = job->n_chunks;
    double total = 0.0;
    for (int64 first = 0; first < n; first += 512) {
        int size = (int)(n - first < 512 ? n - first : 512);
        for (int i = threadIdx.x; i < 3 * size; i += blockDim.x) part[i / size][i % size] = chunk_sums[i / size * n + first + i % size];
        __syncthreads();
        if (threadIdx.x < 3) {
            #pragma unroll 16
            for (int i = 0; i < size; i++) total += part[threadIdx.x][i];
        }
        __syncthreads();
    }
    if (threadIdx.x < 3) sum[threadIdx.x] = total;
    __syncthreads();
    if (threadIdx.x) return;
    state->most_gradient = __uint_as_float(state->most_bits[0]);
    state->most_curve = job->curved ? __uint_as_float(state->most_bits[1]) : 0.0;
    state->sum = job->curved ? sum[0] + sum[1] : sum[0];
    state->failed = !(state->most_gradient <= 1e37) || !(state->most_curve <= 1e37) || !(state->sum < INFINITE);
    state->gradient_unit = state->failed ? 1.0 : unit_for(state->most_gradient, sum[0], job->n_rows);
    state->curve_unit = state->failed || !job->curved ? 1.0 : unit_for(state->most_curve, sum[1], job->n_rows);
    state->own_charge = 0.0;
    double curves = job->curved ? 0.0 : (double)job->n_rows;
    if (job->curved) curves = sum[1];
    if (curves > 0.0)
        state->own_charge = job->category_charge * sum[2] / curves * state->curve_unit / state->gradient_unit
                            / state->gradient_unit;
    state->own_gain = 2.0 * job->min_gain / state->gradient_unit / state->gradient_unit * state->curve_unit;
    if (!(state->own_gain > 0.0)) state->own_gain = 0.0;
    state->own_l1 = job->l1 / state->gradient_unit;
    state->own_l2 = job->l2 / state->curve_unit;
    state->own_smoothing = job->nominal_smoothing / state->curve_unit;
    state->floor = job->min_curve / state->curve_unit;
    if (state->floor < 1.0) state->floor = 1.0;
    state->least_word = 0xffffffffu;
    state->most_word = 0;
    state->total = 0;
}

__device__ __forceinline__ uint32 scramble(uint32 word) {
    word ^= word >> 16;
    word *= 0x7feb352dU;
    word ^= word >> 15;
    word *= 0x846ca68bU;
    return word ^ (word >> 16);
}

__device__ __forceinline__ uint64 sum_of_block(uint64 own) {
    __shared__ uint64 total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    for (int step = 16; step; step >>= 1) own += __shfl_down_sync(0xffffffffu, own, step);
    if ((threadIdx.x & 31) == 0) atomicAdd(&total, own);
    __syncthreads();
    return total;
}

/* words of rows: gradients and curves in units, rounded up or down at random */
extern "C" __global__ void round_slopes(const Job* job, State* state, const float* slope, uint32 key, int64* words) {
    const double share = 1.0 / 65536.0, shift = 8388608.0;
    double per_gradient = 1.0 / state->gradient_unit, per_curve = 1.0 / state->curve_unit;
    uint32 least = 0xffffffffu, most = 0;
    uint64 total = 0;
    if (state->failed) return;
    for (int64 i = blockIdx.x * (int64)blockDim.x + threadIdx.x; i < job->n_rows; i += (int64)gridDim.x * blockDim.x) {
        uint32 chance = scramble((uint32)i ^ key);
        float2 own = job->curved ? ((const float2*)slope)[i] : make_float2(slope[i], 1.0f);
        double g = own.x * per_gradient + ((double)(int)(chance & 65535) * share + shift);
        int curve = 1;
        if (job->curved) {
            curve = (int)(own.y * per_curve + (double)(int)(chance >> 16) * share);
            curve = curve > 1 ? curve : 1;
        }
        int64 word = (int64)((int)g - 8388608) * 4294967296LL + curve;
        words[i] = word;
        total += (uint64)word;
        least = min(least, (uint32)curve);
        most = max(most, (uint32)curve);
    }
    total = sum_of_block(total);
    least = __reduce_min_sync(0xffffffffu, least);
    most = __reduce_max_sync(0xffffffffu, most);
    if ((threadIdx.x & 31) == 0 && job->curved) {
        atomicMin(&state->least_word, least);
        atomicMax(&state->most_word, most);
    }
    if (threadIdx.x == 0) atomicAdd(&state->total, total);
}

/* the words of the rows that are learned from */
extern "C" __global__ void sum_words(State* state, const int64* words, const uint32* rows, int64 n) {
    uint64 total = 0;
    for (int64 i = blockIdx.x * (int64)blockDim.x + threadIdx.x; i < n; i += (int64)gridDim.x * blockDim.x)
        total += (uint64)words[rows[i]];
    total = sum_of_block(total);
    if (threadIdx.x == 0) atomicAdd(&state->total, total);
}
