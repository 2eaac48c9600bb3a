
/* ---- ensembles, and classifiers of intervals of a number ---- */

typedef struct {
    const hb_model *members;
    int n_members, by_vote, classes;
    const double *fallback;
} hb_ensemble_data;

static inline int hb_ensemble(const void *data, int n, const double *values, double *outputs) {
    const hb_ensemble_data *ensemble = (const hb_ensemble_data *)data;
    double sums[HB_OUTPUTS] = {0}, part[HB_OUTPUTS], least = INFINITY, most = -INFINITY;
    int count = 0;
    for (int i = 0; i < ensemble->n_members; i++) {
        int label = hb_run(ensemble->members + i, values, part);
        double total = 0.0;
        if (ensemble->by_vote)
            for (int k = 0; k < n; k++) part[k] = k == label;
        for (int k = 0; k < n; k++) total += part[k];
        if (ensemble->classes ? !(total > 0) : hb_missing(part[0])) continue;
        for (int k = 0; k < n; k++) sums[k] += part[k];
        if (part[0] < least) least = part[0];
        if (part[0] > most) most = part[0];
        count++;
    }
    for (int k = 0; k < n; k++) outputs[k] = count ? sums[k] / count : ensemble->fallback[k];
    if (count && !ensemble->classes) { /* a mean lies between the least and the greatest, whatever the sum rounds to */
        if (outputs[0] < least) outputs[0] = least;
        if (outputs[0] > most) outputs[0] = most;
    }
    return hb_greatest(outputs, n, HB_TIE);
}

typedef struct {
    const hb_model *classifier;
    const double *values;
    double fallback;
} hb_intervals_data;

static inline int hb_intervals(const void *data, int n, const double *values, double *outputs) {
    const hb_intervals_data *intervals = (const hb_intervals_data *)data;
    double part[HB_OUTPUTS], total = 0.0, whole = 0.0;
    hb_run(intervals->classifier, values, part);
    for (int k = 0; k < intervals->classifier->n; k++) {
        total += part[k] * intervals->values[k];
        whole += part[k];
    }
    hb_fill(outputs, n, whole > 0 ? total : intervals->fallback);
    return -1;
}
