// ---- trees ----

const CODES: Int = 1; // kinds of splits; 0: cuts
const CODE_SETS: Int = 2;
const SUMS: Int = 3;
const FRACTIONAL: Int = -1; // a row without the value goes down every branch in fractions

record!(Split {
    kind: Int,
    column: Int,
    start: Int, // its cuts, or its codes
    stop: Int,
    sides: Int,      // bit 0: a value equal to a cut goes below it; bit 1: branches are numbered from above
    other: Int,      // the branch of codes that are not listed
    first_term: Int, // of a weighted sum of columns
    last_term: Int,
});
record!(TreeData {
    splits: &'static [Split],
    cuts: Reals,
    codes: Integers, // codes, and the branch of each
    to: Integers, // branches by code, or those of `codes`
    term_columns: Integers,
    terms: Reals,
    first: Integers, // by node, as the next three
    children: Integers,
    split: Integers,
    missing: Integers,
    share: Reals, // the fraction of rows without a value; empty where no row is divided
    surrogate_start: Integers,
    surrogates: Integers,
    row: Integers, // the row of `value` that a node predicts with
    value: Reals,
    label: Integers, // empty where numbers are predicted
    equation: Integers, // empty where nodes have none
    algebra: &'static Algebra,
});

/// What the nodes where a row ends say together.
struct Ends {
    sums: [f64; OUTPUTS],
    total: f64,
    ends: usize,
    first: usize,
    first_weight: f64,
}

impl TreeData {
    /// The branch of a row, or -1 where the value is missing.
    fn branch_of(&self, split: Int, values: &[f64]) -> Int {
        let split = &self.splits[split as usize];
        let mut value = 0.0;
        if split.kind == SUMS {
            for i in split.first_term as usize..split.last_term as usize {
                value += self.terms[i] * values[self.term_columns[i] as usize];
            }
        } else {
            value = values[split.column as usize];
        }
        if value.is_nan() {
            return -1;
        }
        let (start, stop) = (split.start as usize, split.stop as usize);
        if split.kind == CODES {
            let listed = value < (stop - start) as f64;
            return if listed { self.to[start + value as usize] } else { -1 };
        }
        if split.kind == CODE_SETS {
            for i in start..stop {
                if self.codes[i] as f64 == value {
                    return self.to[i];
                }
            }
            return split.other;
        }
        let cuts = &self.cuts[start..stop];
        let mut interval = 0;
        while interval < cuts.len() && (value > cuts[interval] || (value == cuts[interval] && split.sides & 1 == 0)) {
            interval += 1;
        }
        (if split.sides >> 1 != 0 { cuts.len() - interval } else { interval }) as Int
    }

    fn next(&self, node: usize, values: &[f64]) -> Int {
        let mut branch = self.branch_of(self.split[node], values);
        if branch < 0 && !self.surrogates.is_empty() {
            for i in self.surrogate_start[node] as usize..self.surrogate_start[node + 1] as usize {
                branch = self.branch_of(self.surrogates[i], values);
                if branch >= 0 {
                    break;
                }
            }
        }
        if branch < 0 {
            self.missing[node]
        } else {
            branch
        }
    }

    /// Walk down from a node as long as there is one branch to take; return where that ends, and whether the row is
    /// divided there.
    fn walk(&self, mut node: usize, values: &[f64]) -> (usize, bool) {
        while self.first[node] >= 0 {
            let branch = self.next(node, values);
            if branch < 0 {
                return (node, branch == FRACTIONAL);
            }
            node = self.first[node] as usize + branch as usize;
        }
        (node, false)
    }

    fn leaf_number(&self, node: usize, values: &[f64]) -> f64 {
        let value = self.algebra.compute(self.equation[node] as usize, values);
        if value.is_finite() {
            value
        } else {
            self.value[self.row[node] as usize]
        }
    }

    fn end(&self, values: &[f64], node: usize, weight: f64, n: usize, at: &mut Ends) {
        if at.ends == 0 {
            at.first = node;
            at.first_weight = weight;
        }
        at.ends += 1;
        at.total += weight;
        if !self.equation.is_empty() {
            at.sums[0] += weight * self.leaf_number(node, values);
            return;
        }
        let row = self.row[node] as usize * n;
        for k in 0..n {
            at.sums[k] += weight * self.value[row + k];
        }
    }

    fn at(&self, values: &[f64], node: usize, outputs: &mut [f64]) -> Option<usize> {
        if !self.equation.is_empty() {
            outputs[0] = self.leaf_number(node, values);
            return None;
        }
        copy_row(outputs, self.value, self.row[node]);
        if self.label.is_empty() || self.label[node] < 0 {
            None
        } else {
            Some(self.label[node] as usize)
        }
    }

    /// Follow a row that is divided at a node, in fractions, to all its ends.
    fn divide(&self, values: &[f64], node: usize, n: usize) -> Ends {
        let mut at = Ends { sums: [0.0; OUTPUTS], total: 0.0, ends: 0, first: 0, first_weight: 0.0 };
        let mut pending = [(node, 1.0); PENDING];
        let mut waiting = 1;
        while waiting > 0 {
            waiting -= 1;
            let (start, weight) = pending[waiting];
            let (node, is_divided) = self.walk(start, values);
            let mut is_end = true;
            if is_divided {
                let first = self.first[node] as usize;
                for child in (first..first + self.children[node] as usize).rev() {
                    if self.share[child] > LEAST_SHARE {
                        pending[waiting] = (child, weight * self.share[child]);
                        waiting += 1;
                        is_end = false;
                    }
                }
            }
            if is_end {
                self.end(values, node, weight, n, &mut at);
            }
        }
        at
    }
}

impl Predicts for TreeData {
    fn run(&self, values: &[f64], outputs: &mut [f64]) -> Option<usize> {
        let (node, is_divided) = self.walk(0, values);
        if !is_divided {
            return self.at(values, node, outputs);
        }
        let at = self.divide(values, node, outputs.len());
        if !self.equation.is_empty() {
            let is_whole = at.ends == 1 && at.first_weight == 1.0;
            outputs[0] = if is_whole { self.leaf_number(at.first, values) } else { at.sums[0] };
            return None;
        }
        if at.ends == 1 {
            return self.at(values, at.first, outputs);
        }
        if !(at.total > 0.0) {
            self.at(values, 0, outputs);
        } else {
            for k in 0..outputs.len() {
                outputs[k] = at.sums[k] / at.total;
            }
        }
        Some(greatest(outputs, TIE))
    }
}
