// ---- mixtures: the probabilities of the components ----

const LOG_TWO_PI: f64 = 1.8378770664093453;
const IMPOSSIBLE: f64 = -1e299; // a row whose densities all have logarithms up to this cannot be of any component

record!(Placed { column: Int, scale: Int, low: f64, high: f64 }); // 0: as it is, 1: its logarithm, 2: its log-odds
record!(Group { first: Int, end: Int, n_cells: Int, cells: Int });
record!(Grouped { column: Int, missing: Int, step: Int });
record!(MixtureData {
    weights: Reals,
    base: Reals,
    numbers: &'static [Placed],
    means: Reals,
    deviations: Reals,
    logs: Reals,
    matrices: Reals, // covariances up to the diagonal, by rows; one matrix, or one for every component
    n_matrices: usize,
    counts: Integers,
    rates: Reals,
    log_rates: Reals,
    groups: &'static [Group],
    parts: &'static [Grouped],
    cells: Reals,
});

/// The natural logarithm of a number above 0: x = 2^k m, and a series for m.
fn log(x: f64) -> f64 {
    const LOG2_HIGH: f64 = 0.693_147_180_369_123_8; // with zeros at its end, so that products with k are exact
    const LOG2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    if !(x > 0.0) || x == f64::INFINITY {
        return if x == 0.0 { f64::NEG_INFINITY } else { x };
    }
    let (scaled, shift) = if x < f64::MIN_POSITIVE { (x * power_of_two(54), 54) } else { (x, 0) };
    let bits = scaled.to_bits();
    let mut k = (bits >> 52) as i32 - 1023 - shift;
    let mut m = f64::from_bits((bits & ((1 << 52) - 1)) | 1023 << 52);
    if m > core::f64::consts::SQRT_2 {
        m *= 0.5;
        k += 1;
    }
    let f = m - 1.0;
    let s = f / (2.0 + f);
    let square = s * s;
    let mut series = 0.0;
    let mut n = 23;
    while n > 1 {
        series = (series + 2.0 / n as f64) * square;
        n -= 2;
    }
    let half = 0.5 * f * f; // log(1 + f) = f - f^2 / 2 + s (f^2 / 2 + series)
    let (high, low) = (k as f64 * LOG2_HIGH, k as f64 * LOG2_LOW);
    high - ((half - (s * (half + series) + low)) - f)
}

impl Placed {
    /// A number on the scale where it is normal; NaN if it is missing or not possible.
    fn place(&self, value: f64) -> f64 {
        match self.scale {
            1 if value > self.low => log(value - self.low),
            2 if value > self.low && value < self.high => log(value - self.low) - log(self.high - value),
            0 => value,
            _ => f64::NAN,
        }
    }
}

/// Minus twice the logarithm of a normal density, by the factors L D L' of the known part of the covariance matrix.
fn correlated(matrix: &[f64], means: &[f64], places: &[f64]) -> f64 {
    let mut lower = [0.0; TRIANGLE]; // L before the diagonal, D on it
    let (mut left, mut turned) = ([0.0; PLACES], [0.0; PLACES]);
    let mut total = 0.0;
    for i in 0..places.len() {
        if places[i].is_nan() {
            continue;
        }
        let start = i * (i + 1) / 2;
        let mut pivot = matrix[start + i];
        turned[i] = places[i] - means[i];
        for j in 0..i {
            if places[j].is_nan() {
                continue;
            }
            let other = j * (j + 1) / 2;
            left[j] = matrix[start + j];
            for m in 0..j {
                if !places[m].is_nan() {
                    left[j] -= left[m] * lower[other + m];
                }
            }
            lower[start + j] = left[j] / lower[other + j];
            pivot -= left[j] * lower[start + j];
            turned[i] -= lower[start + j] * turned[j];
        }
        lower[start + i] = pivot;
        total += turned[i] * turned[i] / pivot + log(pivot) + LOG_TWO_PI;
    }
    total
}

impl MixtureData {
    fn log_density(&self, k: usize, values: &[f64], places: &[f64]) -> f64 {
        let d = places.len();
        let means = &self.means[k * d..][..d];
        let mut total = self.base[k];
        for group in self.groups {
            let mut cell = group.cells as usize + k * group.n_cells as usize;
            for part in &self.parts[group.first as usize..group.end as usize] {
                let code = values[part.column as usize];
                cell += part.step as usize * if code.is_nan() { part.missing as usize } else { code as usize };
            }
            total += self.cells[cell];
        }
        let mut far = 0.0;
        if self.n_matrices > 0 {
            let size = d * (d + 1) / 2;
            let start = if self.n_matrices > 1 { k * size } else { 0 };
            far = correlated(&self.matrices[start..][..size], means, places);
        } else {
            for f in 0..d {
                if !places[f].is_nan() {
                    let away = (places[f] - means[f]) / self.deviations[k * d + f];
                    far += away * away + self.logs[k * d + f];
                }
            }
        }
        total -= 0.5 * far;
        for (f, &column) in self.counts.iter().enumerate() {
            let count = values[column as usize];
            let at = k * self.counts.len() + f;
            if count >= 0.0 && (count >= 9007199254740992.0 || count == count as u64 as f64) {
                total += count * self.log_rates[at] - self.rates[at];
            }
        }
        total
    }
}

impl Predicts for MixtureData {
    fn run(&self, values: &[f64], outputs: &mut [f64]) -> Option<usize> {
        let mut places = [0.0; PLACES];
        for (place, number) in places.iter_mut().zip(self.numbers) {
            *place = number.place(values[number.column as usize]);
        }
        let mut most = f64::NEG_INFINITY;
        for k in 0..outputs.len() {
            outputs[k] = self.log_density(k, values, &places[..self.numbers.len()]);
            if outputs[k] > most {
                most = outputs[k];
            }
        }
        if !(most > IMPOSSIBLE) {
            outputs.copy_from_slice(self.weights);
            return Some(greatest(outputs, 0.0));
        }
        for output in outputs.iter_mut() {
            *output = exp(*output - most);
        }
        let total = sum(outputs);
        for output in outputs.iter_mut() {
            *output /= total;
        }
        Some(greatest(outputs, 0.0))
    }
}
