// ---- k-means clusters: 1 for the nearest center, the first of equals, and 0 for the others ----

record!(Scale { column: Int, center: f64, width: f64, stretch: f64 });
record!(CentersData {
    scales: &'static [Scale],
    nominal: Integers,
    weights: Reals,
    numbers: Reals, // centers x scales
    codes: Integers, // centers x nominal
});

impl CentersData {
    fn distance(&self, center: usize, values: &[f64]) -> f64 {
        let mut total = 0.0;
        for (f, scale) in self.scales.iter().enumerate() {
            let mut value = values[scale.column as usize];
            if value.is_nan() {
                continue;
            }
            value = if scale.width > 0.0 { (value - scale.center) / scale.width } else { 0.0 } * scale.stretch;
            value -= self.numbers[center * self.scales.len() + f];
            total += value * value;
        }
        for (f, &column) in self.nominal.iter().enumerate() {
            let value = values[column as usize];
            if !value.is_nan() && value != self.codes[center * self.nominal.len() + f] as f64 {
                total += self.weights[f];
            }
        }
        total
    }
}

impl Predicts for CentersData {
    fn run(&self, values: &[f64], outputs: &mut [f64]) -> Option<usize> {
        let (mut least, mut best) = (f64::INFINITY, 0);
        for center in 0..outputs.len() {
            let distance = self.distance(center, values);
            if distance < least {
                least = distance;
                best = center;
            }
        }
        fill(outputs, 0.0);
        outputs[best] = 1.0;
        Some(best)
    }
}
