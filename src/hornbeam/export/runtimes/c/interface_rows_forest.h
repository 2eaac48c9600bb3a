
#define HB_FEW_ROWS (HB_BLOCK / 16) /* fewer take less time one by one */

/* Predict many rows, each HB_COLUMNS values: write the probabilities of each row, or its number; where `classes` is not
   null, also the index of its class. Blocks of rows share the way through the trees. */
static inline void hb_predict_rows(const double *rows, size_t n_rows, double *outputs, int *classes) {
    const int n = hb_the_model.n;
    for (size_t row = 0; row < n_rows; row += HB_BLOCK) {
        const int count = n_rows - row < HB_BLOCK ? (int)(n_rows - row) : HB_BLOCK;
        const double *given = rows + row * HB_COLUMNS;
        double *own = outputs + row * n;
        if (count >= HB_FEW_ROWS) {
            hb_forest_block((const hb_forest_data *)hb_the_model.data, n, given, count, own);
        } else {
            for (int j = 0; j < count; j++) hb_run(&hb_the_model, given + j * HB_COLUMNS, own + j * n);
        }
        for (int j = 0; classes && j < count; j++) classes[row + j] = hb_decided(&hb_the_decision, n, -1, own + j * n);
    }
}
