/// Write the probability of every class; return the index of the predicted class in `CLASS_NAMES`.
pub fn predict_proba(values: &[f64; COLUMNS], probabilities: &mut [f64; CLASSES]) -> usize {
    let label = THE_MODEL.run(values, probabilities);
    THE_DECISION.decide(label, probabilities)
}

/// Return the index of the predicted class in `CLASS_NAMES`.
pub fn predict(values: &[f64; COLUMNS]) -> usize {
    predict_proba(values, &mut [0.0; CLASSES])
}

const WIDTH: usize = CLASSES; // outputs of a row

/// Predict many rows: write the probabilities of every class and the index of the predicted class of each row.
/// Stops the program (a panic) if the three do not have the same length.
pub fn predict_rows(rows: &[[f64; COLUMNS]], probabilities: &mut [[f64; CLASSES]], classes: &mut [usize]) {
    assert!(rows.len() == probabilities.len() && rows.len() == classes.len(), "expected as many outputs as rows");
    for start in (0..rows.len()).step_by(BLOCK) {
        let end = rows.len().min(start + BLOCK);
        let mut labels = [None; BLOCK];
        let outputs = &mut probabilities[start..end];
        THE_MODEL.data.run_rows(&rows[start..end], outputs, &mut labels);
        for (j, own) in outputs.iter_mut().enumerate() {
            classes[start + j] = THE_DECISION.decide(labels[j], own);
        }
    }
}
