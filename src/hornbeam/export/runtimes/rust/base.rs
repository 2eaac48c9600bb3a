// The fixed part of every exported module: predicts a row with a model given as tables. Uses `core` only, and does not
// allocate.

const TIE: f64 = 1e-6; // summed probabilities that differ by less are a tie, which the first class wins
const LEAST_SHARE: f64 = 1e-6; // a branch with at most this fraction of the rows gets no fraction of a row
const NEAR: f64 = 1e-9; // probabilities, and costs relative to the greatest, that differ by less are equal

/// Define a structure and `new`, which takes its fields in order.
macro_rules! record {
    ($name:ident { $($field:ident: $kind:ty),* $(,)? }) => {
        struct $name {
            $($field: $kind),*
        }
        impl $name {
            const fn new($($field: $kind),*) -> Self {
                $name { $($field),* }
            }
        }
    };
}

type Reals = &'static [f64];
type Integers = &'static [Int];

/// A model: writes its outputs (probabilities, or one number), and returns a class where it decides by itself.
trait Predicts: Sync {
    fn run(&self, values: &[f64], outputs: &mut [f64]) -> Option<usize>;

    /// The same for a block of rows.
    fn run_rows(&self, rows: &[[f64; COLUMNS]], outputs: &mut [[f64; WIDTH]], labels: &mut [Option<usize>; BLOCK]) {
        for ((row, own), label) in rows.iter().zip(outputs).zip(labels) {
            *label = self.run(row, own);
        }
    }
}

const BLOCK: usize = 64; // rows that are predicted together

record!(Model {
    data: &'static dyn Predicts,
    n: usize, // outputs
});

impl Model {
    fn run(&self, values: &[f64], outputs: &mut [f64]) -> Option<usize> {
        self.data.run(values, &mut outputs[..self.n])
    }
}

/// The index of the greatest output, the first of those that are equal.
fn greatest(outputs: &[f64], slack: f64) -> usize {
    let mut best = 0;
    for k in 1..outputs.len() {
        if outputs[k] > outputs[best] + slack {
            best = k;
        }
    }
    best
}

fn fill(outputs: &mut [f64], value: f64) {
    for output in outputs.iter_mut() {
        *output = value;
    }
}

/// Copy a row of a table of outputs.
fn copy_row(outputs: &mut [f64], table: &[f64], row: Int) {
    let n = outputs.len();
    outputs.copy_from_slice(&table[row as usize * n..][..n]);
}

/// The sum of numbers, from the first to the last.
fn sum(numbers: &[f64]) -> f64 {
    let mut total = 0.0;
    for number in numbers {
        total += number;
    }
    total
}
