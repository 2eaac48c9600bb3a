/// Write the probability of every class; return the index of the predicted class in `CLASS_NAMES`.
pub fn predict_proba(values: &[f64; COLUMNS], probabilities: &mut [f64; CLASSES]) -> usize {
    let label = THE_MODEL.run(values, probabilities);
    THE_DECISION.decide(label, probabilities)
}

/// Return the index of the predicted class in `CLASS_NAMES`.
pub fn predict(values: &[f64; COLUMNS]) -> usize {
    predict_proba(values, &mut [0.0; CLASSES])
}
