/// Return the predicted number.
pub fn predict(values: &[f64; COLUMNS]) -> f64 {
    let mut output = [0.0];
    THE_MODEL.run(values, &mut output);
    output[0]
}
