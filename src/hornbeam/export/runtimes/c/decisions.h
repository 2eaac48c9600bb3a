
/* ---- from outputs to a class ---- */

typedef struct {
    const double *overall; /* the probabilities where the outputs are all 0; null: none */
    const double *costs; /* actual x predicted; null: none */
    const unsigned char *possible; /* null: every class */
    double greatest_cost, threshold; /* threshold < 0: none */
} hb_decision;

static inline int hb_decided(const hb_decision *decision, int n, int label, double *outputs) {
    double total = 0.0, least = INFINITY, expected[HB_OUTPUTS];
    for (int k = 0; k < n; k++) total += outputs[k];
    if (decision->overall && !(total > 0)) memcpy(outputs, decision->overall, n * sizeof(double));
    if (decision->costs) {
        for (int k = 0; k < n; k++) {
            expected[k] = 0.0;
            for (int j = 0; j < n; j++) expected[k] += outputs[j] * decision->costs[j * n + k];
            if ((!decision->possible || decision->possible[k]) && expected[k] < least) least = expected[k];
        }
        for (int k = 0; k < n; k++)
            if ((!decision->possible || decision->possible[k]) &&
                expected[k] <= least + HB_NEAR * decision->greatest_cost)
                return k;
    }
    if (decision->threshold >= 0) {
        if (decision->possible && decision->possible[0] != decision->possible[1]) return decision->possible[1];
        return outputs[1] >= decision->threshold - HB_NEAR;
    }
    return label < 0 ? hb_greatest(outputs, n, 0.0) : label;
}
