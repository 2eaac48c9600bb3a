// ---- rules, with exceptions ----

const AT_MOST: Int = 0; // signs of conditions; 3: at least
const BELOW: Int = 1;
const ABOVE: Int = 2;
const IN: Int = 4;
const FIRST: Int = 0; // how a list decides; 1: by vote
const REMAINING: Int = 2;
const FIRES: f64 = 0.5; // deciding by first match, a rule fires for a row that passes with at least this weight

record!(Condition {
    sign: Int,
    column: Int,
    start: Int, // the codes that hold; up to `end` those that count as missing
    stop: Int,
    end: Int,
    bound: f64,
    if_missing: f64,
});
record!(Rule {
    start: Int, // its conditions
    stop: Int,
    label: Int, // -1: none, as in the next two
    equation: Int,
    exceptions: Int,
    outputs: Int, // its row of `value`
});
record!(List {
    start: Int, // its rules
    stop: Int,
    fallback: Int, // the default rule; -1: none
    decide: Int,
    nothing: Int, // the row of `value` where no rule decides
});
record!(RulesData {
    lists: &'static [List],
    rules: &'static [Rule],
    conditions: &'static [Condition],
    codes: Integers,
    value: Reals,
    algebra: &'static Algebra,
});

fn has_code(codes: &[Int], value: f64) -> bool {
    codes.iter().any(|&code| code as f64 == value)
}

impl RulesData {
    fn holds(&self, condition: &Condition, values: &[f64]) -> f64 {
        let value = values[condition.column as usize];
        let (stop, end) = (condition.stop as usize, condition.end as usize);
        if value.is_nan() {
            return condition.if_missing;
        }
        let is_true = match condition.sign {
            IN => {
                if has_code(&self.codes[stop..end], value) {
                    return condition.if_missing;
                }
                has_code(&self.codes[condition.start as usize..stop], value)
            }
            AT_MOST => value <= condition.bound,
            BELOW => value < condition.bound,
            ABOVE => value > condition.bound,
            _ => value >= condition.bound,
        };
        if is_true {
            1.0
        } else {
            0.0
        }
    }

    fn weight(&self, rule: &Rule, values: &[f64]) -> f64 {
        let mut weight = 1.0;
        for condition in &self.conditions[rule.start as usize..rule.stop as usize] {
            weight *= self.holds(condition, values);
        }
        weight
    }

    /// Write what a rule says; return its label.
    fn say(&self, rule: &Rule, values: &[f64], outputs: &mut [f64]) -> Option<usize> {
        if rule.exceptions >= 0 {
            if let (true, label) = self.decide(rule.exceptions as usize, values, outputs) {
                return label;
            }
        }
        copy_row(outputs, self.value, rule.outputs);
        if rule.equation >= 0 {
            let value = self.algebra.compute(rule.equation as usize, values);
            if value.is_finite() {
                outputs[0] = value;
            }
        }
        if rule.label < 0 {
            None
        } else {
            Some(rule.label as usize)
        }
    }

    fn by_default(&self, list: &List, values: &[f64], outputs: &mut [f64]) -> (bool, Option<usize>) {
        if list.fallback >= 0 {
            return (false, self.say(&self.rules[list.fallback as usize], values, outputs));
        }
        copy_row(outputs, self.value, list.nothing);
        (false, None)
    }

    /// Return whether a rule of a list other than its default decided, and the label.
    fn decide(&self, which: usize, values: &[f64], outputs: &mut [f64]) -> (bool, Option<usize>) {
        let list = &self.lists[which];
        let own = &self.rules[list.start as usize..list.stop as usize];
        if list.decide == FIRST {
            for rule in own {
                if self.weight(rule, values) >= FIRES {
                    return (true, self.say(rule, values, outputs));
                }
            }
            return self.by_default(list, values, outputs);
        }
        let mut sums = [0.0; OUTPUTS];
        let (mut total, mut left, mut most) = (0.0, 1.0, 0.0);
        let (mut used, mut is_own, mut label) = (0, false, None);
        let takes_default = list.decide == REMAINING && list.fallback >= 0;
        for i in 0..own.len() + takes_default as usize {
            let is_listed = i < own.len();
            let rule = if is_listed { &own[i] } else { &self.rules[list.fallback as usize] };
            let mut weight = if !is_listed {
                if left > LEAST_SHARE {
                    1.0
                } else {
                    0.0
                }
            } else {
                self.weight(rule, values)
            };
            if list.decide == REMAINING {
                weight *= left;
                left -= weight;
            }
            if !(weight > 0.0) {
                continue;
            }
            label = self.say(rule, values, outputs);
            for k in 0..outputs.len() {
                sums[k] += weight * outputs[k];
            }
            total += weight;
            used += 1;
            if weight > most {
                most = weight;
                is_own = is_listed;
            }
        }
        if used == 0 {
            return self.by_default(list, values, outputs);
        }
        for k in 0..outputs.len() {
            outputs[k] = sums[k] / total;
        }
        if used > 1 {
            label = Some(greatest(outputs, TIE));
        }
        (is_own, label)
    }
}

impl Predicts for RulesData {
    fn run(&self, values: &[f64], outputs: &mut [f64]) -> Option<usize> {
        self.decide(0, values, outputs).1
    }
}
