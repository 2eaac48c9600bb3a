
/* Predict many rows, each HB_COLUMNS values: write the probabilities of each row, or its number; where `classes` is not
   null, also the index of its class. */
static inline void hb_predict_rows(const double *rows, size_t n_rows, double *outputs, int *classes) {
    const int n = hb_the_model.n;
    for (size_t row = 0; row < n_rows; row++, outputs += n) {
        int label = hb_run(&hb_the_model, rows + row * HB_COLUMNS, outputs);
        if (classes) classes[row] = hb_decided(&hb_the_decision, n, label, outputs);
    }
}
