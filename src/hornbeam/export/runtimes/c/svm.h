
/* ---- support vector machines: kernels in single precision, as in training, but for polynomials ---- */

#define HB_ON_PLANE 1e-9 /* a decision up to this is of the first class */

enum { HB_POLYNOMIAL, HB_RBF, HB_SIGMOID }; /* kernels */

typedef struct {
    const hb_factor *factors; /* one per axis */
    const double *shift, *width, *tables;
    int n_axes, n_products, n_chosen; /* products of axes; 0: the axes themselves */
    const double *product_weights;
    const hb_int *chosen;
    int n_machines, classes, kernel, degree, n_vectors, n_point; /* n_vectors 0: planes */
    const hb_int *pairs, *runs;
    const double *intercepts, *planes, *coefficients; /* coefficients: machines x vectors */
    const double *slopes; /* null: votes */
    const float *vectors;
    double gamma, coef0;
} hb_svm_data;

static inline float hb_exponential(float x) {
    if (fabsf(x) > 87) return 0.0f;
    const float below = -fabsf(x), shift = 12582912.0f;
    static const float factors[] = {1 / 720.0f, 1 / 120.0f, 1 / 24.0f, 1 / 6.0f, 0.5f, 1.0f, 1.0f};
    union {
        float number;
        unsigned bits;
    } raised, power;
    volatile float step = below * 1.44269504f; /* rounded before it is added, whatever the compiler joins */
    raised.number = step + shift;
    float whole = raised.number - shift;
    step = whole * 0.693359375f;
    float rest = below - step;
    step = whole * 2.1219444e-4f;
    rest = rest + step;
    power.number = 1 / 5040.0f;
    for (int i = 0; i < 7; i++) {
        step = power.number * rest;
        power.number = step + factors[i];
    }
    power.bits += raised.bits << 23;
    return power.number;
}

static inline double hb_polynomial(const hb_svm_data *svm, const float *one, const double *other) {
    double product = 0.0, power;
    for (int i = 0; i < svm->n_point; i++) product += one[i] * other[i];
    product = power = svm->gamma * product + svm->coef0;
    for (int i = 1; i < svm->degree; i++) power *= product;
    return power;
}

static inline double hb_kernel(const hb_svm_data *svm, const float *one, const float *other) {
    if (svm->kernel == HB_RBF) {
        float total = 0.0f;
        for (int i = 0; i < svm->n_point; i++) {
            volatile float square = (one[i] - other[i]) * (one[i] - other[i]);
            total = total + square;
        }
        return hb_exponential(-(float)svm->gamma * total);
    }
    double product = 0.0;
    for (int i = 0; i < svm->n_point; i++) product += (double)one[i] * other[i];
    float z = (float)(svm->gamma * product + svm->coef0), e = hb_exponential(-2 * fabsf(z));
    return (z < 0 ? -1 : 1) * ((1 - e) / (1 + e));
}

/* Coefficients times kernel values over a range of vectors, as eight interleaved sums. */
static inline double hb_weighed(const double *coefficients, const double *kernels, int first, int last) {
    double lane[8] = {0};
    int whole = first + (last - first) / 8 * 8;
    for (int t = first; t < last; t++) lane[t < whole ? (t - first) % 8 : 0] += coefficients[t] * kernels[t];
    return lane[0] + lane[1] + (lane[2] + lane[3]) + (lane[4] + lane[5] + (lane[6] + lane[7]));
}

HB_SCRATCH double hb_point[HB_POINT], hb_axes[HB_POINT], hb_kernels[HB_VECTORS], hb_margin[HB_MACHINES];
HB_SCRATCH float hb_narrow[HB_POINT];

static inline void hb_margins(const hb_svm_data *svm, const double *values, double *margins) {
    double *axes = svm->n_products ? hb_axes : hb_point;
    for (int i = 0; i < svm->n_axes; i++)
        axes[i] = (hb_factor_value(svm->factors + i, svm->tables, values) - svm->shift[i]) / svm->width[i];
    for (int i = 0; i < svm->n_products; i++) {
        double product = 1.0;
        for (int c = 0; c < svm->n_chosen; c++) product *= axes[svm->chosen[i * svm->n_chosen + c]];
        hb_point[i] = product * svm->product_weights[i];
    }
    for (int i = 0; i < svm->n_point; i++) hb_narrow[i] = (float)hb_point[i];
    for (int v = 0; v < svm->n_vectors; v++) {
        const float *vector = svm->vectors + (size_t)v * svm->n_point;
        hb_kernels[v] =
            svm->kernel == HB_POLYNOMIAL ? hb_polynomial(svm, vector, hb_point) : hb_kernel(svm, vector, hb_narrow);
    }
    for (int m = 0; m < svm->n_machines; m++) {
        if (!svm->n_vectors) {
            const double *plane = svm->planes + (size_t)m * svm->n_point;
            double total = 0.0;
            for (int i = 0; i < svm->n_point; i++) total += plane[i] * hb_point[i];
            margins[m] = total + svm->intercepts[m];
            continue;
        }
        const double *coefficients = svm->coefficients + (size_t)m * svm->n_vectors;
        const hb_int *runs = svm->runs + 4 * m;
        margins[m] = hb_weighed(coefficients, hb_kernels, runs[0], runs[1]) +
                     hb_weighed(coefficients, hb_kernels, runs[2], runs[3]) + svm->intercepts[m];
    }
}

/* The probabilities p that come closest to r[ij] p[j] = r[ji] p[i] for every pair of classes. */
static inline void hb_couple(const hb_svm_data *svm, int n, const double *of_pairs, double *p) {
    double r[HB_OUTPUTS][HB_OUTPUTS], q[HB_OUTPUTS][HB_OUTPUTS], qp[HB_OUTPUTS], whole;
    int has[HB_OUTPUTS] = {0}, k = 0;
    for (int m = 0; m < 2 * svm->n_machines; m++) has[svm->pairs[m]] = 1;
    for (int i = 0; i < n; i++) k += has[i];
    hb_fill(p, n, 0.0);
    if (k == 2) {
        p[svm->pairs[1]] = of_pairs[0];
        p[svm->pairs[0]] = 1 - of_pairs[0];
        return;
    }
    memset(r, 0, sizeof r);
    for (int m = 0; m < svm->n_machines; m++) {
        double value = of_pairs[m] < 1e-7 ? 1e-7 : of_pairs[m] > 1 - 1e-7 ? 1 - 1e-7 : of_pairs[m];
        r[svm->pairs[2 * m + 1]][svm->pairs[2 * m]] = value;
        r[svm->pairs[2 * m]][svm->pairs[2 * m + 1]] = 1 - value;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            q[i][j] = i == j ? 0.0 : -r[i][j] * r[j][i];
            if (i == j)
                for (int t = 0; t < n; t++)
                    if (has[t]) q[i][i] += r[t][i] * r[t][i];
        }
    for (int i = 0; i < n; i++) p[i] = has[i] ? 1.0 / k : 0.0;
    for (int round = 0; round < 100; round++) {
        double worst = 0.0;
        whole = 0.0;
        for (int i = 0; i < n; i++) {
            qp[i] = 0.0;
            for (int j = 0; j < n; j++)
                if (has[j]) qp[i] += q[i][j] * p[j];
            if (has[i]) whole += p[i] * qp[i];
        }
        for (int i = 0; i < n; i++)
            if (has[i] && fabs(qp[i] - whole) > worst) worst = fabs(qp[i] - whole);
        if (worst < HB_NEAR) break;
        for (int t = 0; t < n; t++) {
            if (!has[t]) continue;
            double step = (whole - qp[t]) / q[t][t];
            p[t] += step;
            whole = (whole + step * (step * q[t][t] + 2 * qp[t])) / ((1 + step) * (1 + step));
            for (int i = 0; i < n; i++) {
                qp[i] = (qp[i] + step * q[t][i]) / (1 + step);
                p[i] /= 1 + step;
            }
        }
    }
}

static inline int hb_svm(const void *data, int n, const double *values, double *outputs) {
    const hb_svm_data *svm = (const hb_svm_data *)data;
    double *margins = hb_margin;
    hb_margins(svm, values, margins);
    if (!svm->classes) {
        hb_fill(outputs, n, margins[0]);
        return -1;
    }
    int by_rest = svm->pairs[0] < 0; /* each class against all others */
    if (!svm->slopes) {
        hb_fill(outputs, n, 0.0);
        if (by_rest) {
            outputs[svm->pairs[2 * hb_greatest(margins, svm->n_machines, 0.0) + 1]] = 1.0;
        } else {
            for (int m = 0; m < svm->n_machines; m++) outputs[svm->pairs[2 * m + (margins[m] > HB_ON_PLANE)]] += 1;
            for (int k = 0; k < n; k++) outputs[k] /= svm->n_machines;
        }
        return hb_greatest(outputs, n, 0.0);
    }
    for (int m = 0; m < svm->n_machines; m++) {
        double z = margins[m] * svm->slopes[2 * m] + svm->slopes[2 * m + 1], small = exp(-fabs(z));
        margins[m] = z >= 0 ? small / (1 + small) : 1 / (1 + small);
    }
    if (!by_rest) {
        hb_couple(svm, n, margins, outputs);
    } else {
        double total = 0.0;
        for (int m = 0; m < svm->n_machines; m++) total += margins[m];
        hb_fill(outputs, n, 0.0);
        for (int m = 0; m < svm->n_machines; m++) outputs[svm->pairs[2 * m + 1]] = margins[m] / total;
    }
    return hb_greatest(outputs, n, 0.0);
}
