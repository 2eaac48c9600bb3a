/// The code of a category of a column; NaN (missing) for a category that the model does not know.
pub fn code(column: usize, text: &str) -> f64 {
    for (code, category) in CATEGORIES[column].iter().enumerate() {
        if *category == text {
            return code as f64;
        }
    }
    f64::NAN
}
