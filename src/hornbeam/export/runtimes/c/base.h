/* The fixed part of every exported header: predicts a row with a model given as tables. C99, no allocation. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#define HB_TIE 1e-6 /* summed probabilities that differ by less are a tie, which the first class wins */
#define HB_LEAST_SHARE 1e-6 /* a branch with at most this fraction of the rows gets no fraction of a row */
#define HB_NEAR 1e-9 /* probabilities, and costs relative to the greatest, that differ by less are equal */

/* Working memory of models that keep rows; one per thread where the compiler knows how. */
#if defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L && !defined(__STDC_NO_THREADS__)
#define HB_SCRATCH static _Thread_local
#else
#define HB_SCRATCH static
#endif

/* A model: a function that writes n outputs (probabilities, or one number) and returns a class, or -1. */
typedef int (*hb_function)(const void *data, int n, const double *values, double *outputs);
typedef struct {
    hb_function run;
    const void *data;
    int n;
} hb_model;

static inline int hb_missing(double value) { return value != value; }

static inline int hb_run(const hb_model *model, const double *values, double *outputs) {
    return model->run(model->data, model->n, values, outputs);
}

/* The index of the greatest output, the first of those that are equal. */
static inline int hb_greatest(const double *outputs, int n, double slack) {
    int best = 0;
    for (int k = 1; k < n; k++)
        if (outputs[k] > outputs[best] + slack) best = k;
    return best;
}

static inline void hb_fill(double *outputs, int n, double value) {
    for (int k = 0; k < n; k++) outputs[k] = value;
}
