// ---- ensembles, and classifiers of intervals of a number ----

record!(EnsembleData {
    members: &'static [Model],
    by_vote: bool,
    classes: bool, // whether classes are predicted
    fallback: Reals,
});

impl Predicts for EnsembleData {
    fn run(&self, values: &[f64], outputs: &mut [f64]) -> Option<usize> {
        let n = outputs.len();
        let (mut sums, mut part) = ([0.0; OUTPUTS], [0.0; OUTPUTS]);
        let (mut least, mut most, mut count) = (f64::INFINITY, f64::NEG_INFINITY, 0.0);
        for member in self.members {
            let label = member.run(values, &mut part);
            if self.by_vote {
                for k in 0..n {
                    part[k] = if label == Some(k) { 1.0 } else { 0.0 };
                }
            }
            if if self.classes { !(sum(&part[..n]) > 0.0) } else { part[0].is_nan() } {
                continue;
            }
            for k in 0..n {
                sums[k] += part[k];
            }
            least = if part[0] < least { part[0] } else { least };
            most = if part[0] > most { part[0] } else { most };
            count += 1.0;
        }
        for k in 0..n {
            outputs[k] = if count > 0.0 { sums[k] / count } else { self.fallback[k] };
        }
        if count > 0.0 && !self.classes {
            // a mean lies between the least and the greatest, whatever the sum rounds to
            outputs[0] = if outputs[0] < least { least } else { outputs[0] };
            outputs[0] = if outputs[0] > most { most } else { outputs[0] };
        }
        Some(greatest(outputs, TIE))
    }
}

record!(IntervalsData {
    classifier: &'static Model,
    values: Reals,
    fallback: f64,
});

impl Predicts for IntervalsData {
    fn run(&self, values: &[f64], outputs: &mut [f64]) -> Option<usize> {
        let mut part = [0.0; OUTPUTS];
        let (mut total, mut whole) = (0.0, 0.0);
        self.classifier.run(values, &mut part);
        for k in 0..self.classifier.n {
            total += part[k] * self.values[k];
            whole += part[k];
        }
        fill(outputs, if whole > 0.0 { total } else { self.fallback });
        None
    }
}
