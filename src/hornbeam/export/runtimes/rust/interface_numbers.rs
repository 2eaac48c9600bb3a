/// Return the predicted number.
pub fn predict(values: &[f64; COLUMNS]) -> f64 {
    let mut output = [0.0];
    THE_MODEL.run(values, &mut output);
    output[0]
}

const WIDTH: usize = 1; // outputs of a row

/// Predict many rows: write the number of each row. Stops the program (a panic) if the two do not have the same length.
pub fn predict_rows(rows: &[[f64; COLUMNS]], numbers: &mut [f64]) {
    assert!(rows.len() == numbers.len(), "expected as many outputs as rows");
    for start in (0..rows.len()).step_by(BLOCK) {
        let end = rows.len().min(start + BLOCK);
        let mut outputs = [[0.0; WIDTH]; BLOCK];
        THE_MODEL.data.run_rows(&rows[start..end], &mut outputs[..end - start], &mut [None; BLOCK]);
        for (number, output) in numbers[start..end].iter_mut().zip(&outputs) {
            *number = output[0];
        }
    }
}
