
/* ---- mixtures: the probabilities of the components ---- */

#define HB_LOG_TWO_PI 1.8378770664093453
#define HB_IMPOSSIBLE -1e299 /* a row whose densities all have logarithms up to this cannot be of any component */

typedef struct {
    hb_int column, scale; /* 0: as it is, 1: its logarithm, 2: its log-odds */
    double low, high;
} hb_placed;
typedef struct {
    hb_int first, end, n_cells, cells; /* its columns, how many cells it has, where those of the first component begin */
} hb_group;
typedef struct {
    hb_int column, missing, step; /* missing: the code of a missing value */
} hb_grouped;
typedef struct {
    const double *weights, *base;
    const hb_placed *numbers;
    const double *means, *deviations, *logs;
    const double *matrices; /* covariances up to the diagonal, by rows; one matrix, or one for every component */
    int n_matrices;
    const hb_int *counts;
    const double *rates, *log_rates;
    const hb_group *groups;
    const hb_grouped *parts;
    const double *cells;
    int n_numbers, n_counts, n_groups;
} hb_mixture_data;

/* A number on the scale where it is normal; NAN if it is missing or not possible. */
static inline double hb_place(const hb_placed *number, double value) {
    if (number->scale == 1) return value > number->low ? log(value - number->low) : NAN;
    if (number->scale == 2)
        return value > number->low && value < number->high ? log(value - number->low) - log(number->high - value) : NAN;
    return value;
}

/* Minus twice the logarithm of a normal density, by the factors L D L' of the known part of the covariance matrix. */
static inline double hb_correlated(const double *matrix, const double *means, const double *places, int n) {
    HB_SCRATCH double lower[HB_TRIANGLE]; /* L before the diagonal, D on it */
    double left[HB_PLACES], turned[HB_PLACES], total = 0.0;
    for (int i = 0; i < n; i++) {
        double *row = lower + i * (i + 1) / 2, pivot = matrix[i * (i + 1) / 2 + i];
        if (hb_missing(places[i])) continue;
        turned[i] = places[i] - means[i];
        for (int j = 0; j < i; j++) {
            const double *other = lower + j * (j + 1) / 2;
            if (hb_missing(places[j])) continue;
            left[j] = matrix[i * (i + 1) / 2 + j];
            for (int m = 0; m < j; m++)
                if (!hb_missing(places[m])) left[j] -= left[m] * other[m];
            row[j] = left[j] / other[j];
            pivot -= left[j] * row[j];
            turned[i] -= row[j] * turned[j];
        }
        row[i] = pivot;
        total += turned[i] * turned[i] / pivot + log(pivot) + HB_LOG_TWO_PI;
    }
    return total;
}

static inline double hb_log_density(const hb_mixture_data *mixture, int k, const double *values, const double *places) {
    const int d = mixture->n_numbers;
    const double *means = mixture->means + (size_t)k * d;
    double total = mixture->base[k], far = 0.0;
    for (int g = 0; g < mixture->n_groups; g++) {
        const hb_group *group = mixture->groups + g;
        size_t cell = (size_t)group->cells + (size_t)k * group->n_cells;
        for (int p = group->first; p < group->end; p++) {
            const hb_grouped *part = mixture->parts + p;
            double code = values[part->column];
            cell += (size_t)part->step * (hb_missing(code) ? (size_t)part->missing : (size_t)code);
        }
        total += mixture->cells[cell];
    }
    if (mixture->n_matrices) {
        size_t size = (size_t)d * (d + 1) / 2;
        far = hb_correlated(mixture->matrices + (mixture->n_matrices > 1 ? k * size : 0), means, places, d);
    }
    for (int f = 0; !mixture->n_matrices && f < d; f++) {
        double away = (places[f] - means[f]) / mixture->deviations[(size_t)k * d + f];
        if (!hb_missing(places[f])) far += away * away + mixture->logs[(size_t)k * d + f];
    }
    total -= 0.5 * far;
    for (int f = 0; f < mixture->n_counts; f++) {
        double count = values[mixture->counts[f]];
        size_t at = (size_t)k * mixture->n_counts + f;
        if (count >= 0 && count == floor(count)) total += count * mixture->log_rates[at] - mixture->rates[at];
    }
    return total;
}

static inline int hb_mixture(const void *data, int n, const double *values, double *outputs) {
    const hb_mixture_data *mixture = (const hb_mixture_data *)data;
    double places[HB_PLACES] = {0.0}, most = -INFINITY, total = 0.0;
    for (int f = 0; f < mixture->n_numbers; f++)
        places[f] = hb_place(mixture->numbers + f, values[mixture->numbers[f].column]);
    for (int k = 0; k < n; k++) {
        outputs[k] = hb_log_density(mixture, k, values, places);
        if (outputs[k] > most) most = outputs[k];
    }
    if (!(most > HB_IMPOSSIBLE)) {
        memcpy(outputs, mixture->weights, n * sizeof(double));
        return hb_greatest(outputs, n, 0.0);
    }
    for (int k = 0; k < n; k++) total += outputs[k] = exp(outputs[k] - most);
    for (int k = 0; k < n; k++) outputs[k] /= total;
    return hb_greatest(outputs, n, 0.0);
}
