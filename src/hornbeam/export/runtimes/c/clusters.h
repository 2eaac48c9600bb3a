
/* ---- k-means clusters: 1 for the nearest center, the first of equals, and 0 for the others ---- */

typedef struct {
    hb_int column;
    double center, width, stretch;
} hb_scale;
typedef struct {
    const hb_scale *scales;
    const hb_int *nominal;
    const double *weights, *numbers;
    const hb_int *codes;
    int n_scales, n_nominal;
} hb_centers_data;

static inline int hb_centers(const void *data, int n, const double *values, double *outputs) {
    const hb_centers_data *centers = (const hb_centers_data *)data;
    double least = INFINITY;
    int best = 0;
    for (int k = 0; k < n; k++) {
        double total = 0.0;
        for (int f = 0; f < centers->n_scales; f++) {
            const hb_scale *scale = centers->scales + f;
            double value = values[scale->column];
            if (hb_missing(value)) continue;
            value = (scale->width > 0 ? (value - scale->center) / scale->width : 0.0) * scale->stretch;
            value -= centers->numbers[(size_t)k * centers->n_scales + f];
            total += value * value;
        }
        for (int f = 0; f < centers->n_nominal; f++) {
            double value = values[centers->nominal[f]];
            if (!hb_missing(value) && value != centers->codes[(size_t)k * centers->n_nominal + f])
                total += centers->weights[f];
        }
        if (total < least) {
            least = total;
            best = k;
        }
    }
    for (int k = 0; k < n; k++) outputs[k] = k == best;
    return best;
}
