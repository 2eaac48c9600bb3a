// ---- from outputs to a class ----

record!(Decision {
    overall: Reals, // the probabilities where the outputs are all 0; empty: none
    costs: Reals, // actual x predicted; empty: none
    possible: &'static [u8], // empty: every class
    greatest_cost: f64,
    threshold: f64, // below 0: none
});

impl Decision {
    fn is_possible(&self, class: usize) -> bool {
        self.possible.is_empty() || self.possible[class] != 0
    }

    fn decide(&self, label: Option<usize>, outputs: &mut [f64]) -> usize {
        let n = outputs.len();
        if !self.overall.is_empty() && !(sum(outputs) > 0.0) {
            outputs.copy_from_slice(self.overall);
        }
        if !self.costs.is_empty() {
            let mut expected = [0.0; OUTPUTS];
            let mut least = f64::INFINITY;
            for k in 0..n {
                for j in 0..n {
                    expected[k] += outputs[j] * self.costs[j * n + k];
                }
                if self.is_possible(k) && expected[k] < least {
                    least = expected[k];
                }
            }
            for k in 0..n {
                if self.is_possible(k) && expected[k] <= least + NEAR * self.greatest_cost {
                    return k;
                }
            }
        }
        if self.threshold >= 0.0 {
            if self.is_possible(0) != self.is_possible(1) {
                return self.is_possible(1) as usize;
            }
            return (outputs[1] >= self.threshold - NEAR) as usize;
        }
        label.unwrap_or_else(|| greatest(outputs, 0.0))
    }
}
