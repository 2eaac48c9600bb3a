// ---- support vector machines: kernels in single precision, as in training, but for polynomials ----

const ON_PLANE: f64 = 1e-9; // a decision up to this is of the first class
const POLYNOMIAL: i32 = 0; // kernels; 2: sigmoid
const RBF: i32 = 1;

record!(SvmData {
    factors: &'static [Factor], // one per axis
    shift: Reals,
    width: Reals,
    tables: Reals,
    n_chosen: usize, // axes of a product
    product_weights: Reals, // products of axes; empty: the axes themselves
    chosen: Integers,
    classes: usize,
    kernel: i32,
    degree: usize,
    n_point: usize,
    pairs: Integers,
    runs: Integers,
    intercepts: Reals, // one per machine
    planes: Reals,
    coefficients: Reals, // machines x vectors
    slopes: Reals, // empty: votes
    vectors: &'static [f32], // empty: planes
    gamma: f64,
    coef0: f64,
});

fn exponential(x: f32) -> f32 {
    const FACTORS: [f32; 7] = [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0];
    const SHIFT: f32 = 12582912.0;
    let below = if x > 0.0 { -x } else { x };
    if below < -87.0 {
        return 0.0;
    }
    let raised = below * 1.442_695_04 + SHIFT;
    let whole = raised - SHIFT;
    let rest = below - whole * 0.693_359_375 + whole * 2.121_944_4e-4;
    let mut power: f32 = 1.0 / 5040.0;
    for factor in FACTORS {
        power = power * rest + factor;
    }
    f32::from_bits(power.to_bits().wrapping_add(raised.to_bits() << 23))
}

/// Coefficients times kernel values over a range of vectors, as eight interleaved sums.
fn weighed(coefficients: &[f64], kernels: &[f64], first: Int, last: Int) -> f64 {
    let (first, last) = (first as usize, last as usize);
    let mut lane = [0.0; 8];
    let whole = first + (last - first) / 8 * 8;
    for t in first..last {
        lane[if t < whole { (t - first) % 8 } else { 0 }] += coefficients[t] * kernels[t];
    }
    lane[0] + lane[1] + (lane[2] + lane[3]) + (lane[4] + lane[5] + (lane[6] + lane[7]))
}

impl SvmData {
    fn polynomial(&self, one: &[f32], other: &[f64]) -> f64 {
        let mut product = 0.0;
        for i in 0..one.len() {
            product += one[i] as f64 * other[i];
        }
        product = self.gamma * product + self.coef0;
        let mut power = product;
        for _ in 1..self.degree {
            power *= product;
        }
        power
    }

    fn kernel(&self, one: &[f32], other: &[f32]) -> f64 {
        if self.kernel == RBF {
            let mut total: f32 = 0.0;
            for i in 0..one.len() {
                total += (one[i] - other[i]) * (one[i] - other[i]);
            }
            return exponential(-(self.gamma as f32) * total) as f64;
        }
        let mut product = 0.0;
        for i in 0..one.len() {
            product += one[i] as f64 * other[i] as f64;
        }
        let z = (self.gamma * product + self.coef0) as f32;
        let e = exponential(-2.0 * if z < 0.0 { -z } else { z });
        (if z < 0.0 { -1.0 } else { 1.0 } * ((1.0 - e) / (1.0 + e))) as f64
    }

    fn point(&self, values: &[f64]) -> [f64; POINT] {
        let mut axes = [0.0; POINT];
        for (i, factor) in self.factors.iter().enumerate() {
            axes[i] = (factor.value(self.tables, values) - self.shift[i]) / self.width[i];
        }
        if self.product_weights.is_empty() {
            return axes;
        }
        let mut point = [0.0; POINT];
        for (i, weight) in self.product_weights.iter().enumerate() {
            let mut product = 1.0;
            for &axis in &self.chosen[i * self.n_chosen..(i + 1) * self.n_chosen] {
                product *= axes[axis as usize];
            }
            point[i] = product * weight;
        }
        point
    }

    fn margins(&self, values: &[f64]) -> [f64; MACHINES] {
        let mut margins = [0.0; MACHINES];
        let all = self.point(values);
        let point = &all[..self.n_point];
        if self.vectors.is_empty() {
            for (m, intercept) in self.intercepts.iter().enumerate() {
                let mut total = 0.0;
                for i in 0..self.n_point {
                    total += self.planes[m * self.n_point + i] * point[i];
                }
                margins[m] = total + intercept;
            }
            return margins;
        }
        let mut narrow = [0.0; POINT];
        let mut kernels = [0.0; VECTORS];
        let n_vectors = self.vectors.len() / self.n_point;
        for i in 0..self.n_point {
            narrow[i] = point[i] as f32;
        }
        for v in 0..n_vectors {
            let vector = &self.vectors[v * self.n_point..][..self.n_point];
            kernels[v] = if self.kernel == POLYNOMIAL {
                self.polynomial(vector, point)
            } else {
                self.kernel(vector, &narrow[..self.n_point])
            };
        }
        for (m, intercept) in self.intercepts.iter().enumerate() {
            let coefficients = &self.coefficients[m * n_vectors..][..n_vectors];
            let runs = &self.runs[4 * m..4 * m + 4];
            margins[m] = weighed(coefficients, &kernels, runs[0], runs[1])
                + weighed(coefficients, &kernels, runs[2], runs[3])
                + intercept;
        }
        margins
    }

    /// The probabilities p that come closest to r[ij] p[j] = r[ji] p[i] for every pair of classes.
    fn couple(&self, of_pairs: &[f64], p: &mut [f64]) {
        let n = p.len();
        let mut has = [false; OUTPUTS];
        let mut r = [[0.0; OUTPUTS]; OUTPUTS];
        for &class in self.pairs {
            has[class as usize] = true;
        }
        let k = has.iter().filter(|&&one| one).count();
        fill(p, 0.0);
        if k == 2 {
            p[self.pairs[1] as usize] = of_pairs[0];
            p[self.pairs[0] as usize] = 1.0 - of_pairs[0];
            return;
        }
        for (m, &value) in of_pairs.iter().enumerate() {
            let value = if value < 1e-7 {
                1e-7
            } else if value > 1.0 - 1e-7 {
                1.0 - 1e-7
            } else {
                value
            };
            let (one, other) = (self.pairs[2 * m] as usize, self.pairs[2 * m + 1] as usize);
            r[other][one] = value;
            r[one][other] = 1.0 - value;
        }
        let mut q = [[0.0; OUTPUTS]; OUTPUTS];
        for i in 0..n {
            p[i] = if has[i] { 1.0 / k as f64 } else { 0.0 };
            for j in 0..n {
                if i != j {
                    q[i][j] = -r[i][j] * r[j][i];
                } else {
                    for t in (0..n).filter(|&t| has[t]) {
                        q[i][i] += r[t][i] * r[t][i];
                    }
                }
            }
        }
        for _ in 0..100 {
            let mut qp = [0.0; OUTPUTS];
            let (mut whole, mut worst) = (0.0, 0.0);
            for i in 0..n {
                for j in (0..n).filter(|&j| has[j]) {
                    qp[i] += q[i][j] * p[j];
                }
                if has[i] {
                    whole += p[i] * qp[i];
                }
            }
            for i in (0..n).filter(|&i| has[i]) {
                let off = magnitude(qp[i] - whole);
                worst = if off > worst { off } else { worst };
            }
            if worst < NEAR {
                break;
            }
            for t in (0..n).filter(|&t| has[t]) {
                let step = (whole - qp[t]) / q[t][t];
                p[t] += step;
                whole = (whole + step * (step * q[t][t] + 2.0 * qp[t])) / ((1.0 + step) * (1.0 + step));
                for i in 0..n {
                    qp[i] = (qp[i] + step * q[t][i]) / (1.0 + step);
                    p[i] /= 1.0 + step;
                }
            }
        }
    }

    fn vote(&self, margins: &[f64], by_rest: bool, outputs: &mut [f64]) {
        fill(outputs, 0.0);
        if by_rest {
            outputs[self.pairs[2 * greatest(margins, 0.0) + 1] as usize] = 1.0;
            return;
        }
        for (m, &margin) in margins.iter().enumerate() {
            outputs[self.pairs[2 * m + (margin > ON_PLANE) as usize] as usize] += 1.0;
        }
        for output in outputs.iter_mut() {
            *output /= margins.len() as f64;
        }
    }
}

impl Predicts for SvmData {
    fn run(&self, values: &[f64], outputs: &mut [f64]) -> Option<usize> {
        let mut all = self.margins(values);
        let margins = &mut all[..self.intercepts.len()];
        if self.classes == 0 {
            fill(outputs, margins[0]);
            return None;
        }
        let by_rest = self.pairs[0] < 0; // each class against all others
        if self.slopes.is_empty() {
            self.vote(margins, by_rest, outputs);
            return Some(greatest(outputs, 0.0));
        }
        for (m, margin) in margins.iter_mut().enumerate() {
            let z = *margin * self.slopes[2 * m] + self.slopes[2 * m + 1];
            let small = exp(-magnitude(z));
            *margin = if z >= 0.0 { small / (1.0 + small) } else { 1.0 / (1.0 + small) };
        }
        if !by_rest {
            self.couple(margins, outputs);
        } else {
            let total = sum(margins);
            fill(outputs, 0.0);
            for (m, margin) in margins.iter().enumerate() {
                outputs[self.pairs[2 * m + 1] as usize] = margin / total;
            }
        }
        Some(greatest(outputs, 0.0))
    }
}
