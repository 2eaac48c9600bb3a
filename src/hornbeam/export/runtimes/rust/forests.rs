// ---- forests ----

const LOGISTIC: i32 = 1; // how sums become outputs; 0: as they are
const EXP: i32 = 2;
const SOFTMAX: i32 = 3;

record!(ForestData {
    link: i32,
    is_mean: bool,
    roots: Integers, // by tree and one more: its nodes
    column: Integers, // by node; of a leaf: its number among the leaves of the forest
    cut: Reals,
    first: Integers, // -1: a leaf
    missing: &'static [u8], // 1: a row without the value goes to the second branch
    set: Integers, // by node: where the bits of its categories begin; -1: a cut; empty: cuts only
    sets: &'static [u32],
    value: &'static [f32], // rows of `width` numbers, by leaf
    width: usize,
    output: Integers, // by tree: the first output that it adds to; empty: 0
    base: Reals,
    unit: Reals, // empty where sums begin with the base
});

impl ForestData {
    fn is_second(&self, node: usize, value: f64) -> bool {
        if value.is_nan() {
            return self.missing[node] != 0;
        }
        if !self.set.is_empty() && self.set[node] >= 0 {
            let code = value as usize;
            return (self.sets[self.set[node] as usize + code / 32] >> (code % 32)) & 1 == 0;
        }
        value > self.cut[node]
    }

    fn leaf(&self, tree: usize, values: &[f64]) -> usize {
        let mut node = self.roots[tree] as usize;
        while self.first[node] >= 0 {
            node = self.first[node] as usize + self.is_second(node, values[self.column[node] as usize]) as usize;
        }
        self.column[node] as usize
    }

    /// Turn the sums into outputs.
    fn link(&self, sums: &mut [f64], n_sums: usize, n_trees: usize) {
        for k in 0..n_sums {
            if self.is_mean {
                sums[k] /= n_trees as f64;
            }
            if !self.unit.is_empty() {
                sums[k] = sums[k] * self.unit[0] + self.base[k];
            }
        }
        if self.is_mean && n_sums > 1 {
            divide(sums, sum(sums));
        }
        if self.link == LOGISTIC {
            let small = exp(-magnitude(sums[0]));
            let second = (if sums[0] >= 0.0 { 1.0 } else { small }) / (1.0 + small);
            sums[0] = 1.0 - second;
            sums[1] = second;
        } else if self.link == EXP {
            for each in sums.iter_mut() {
                *each = exp(*each);
            }
        } else if self.link == SOFTMAX {
            let most = sums[greatest(sums, 0.0)];
            for each in sums.iter_mut() {
                *each = exp(*each - most);
            }
            divide(sums, sum(sums));
        }
    }
}

fn divide(numbers: &mut [f64], by: f64) {
    for number in numbers.iter_mut() {
        *number /= by;
    }
}

impl ForestData {
    fn n_sums(&self, outputs: &[f64]) -> usize {
        if self.link == LOGISTIC { 1 } else { outputs.len() } // two classes have one sum
    }

    fn begin(&self, outputs: &mut [f64]) {
        for k in 0..self.n_sums(outputs) {
            outputs[k] = if self.unit.is_empty() { self.base[k] } else { 0.0 };
        }
    }

    fn add_tree(&self, tree: usize, values: &[f64], outputs: &mut [f64]) {
        let leaf = self.leaf(tree, values) * self.width;
        let output = if self.output.is_empty() { 0 } else { self.output[tree] as usize };
        for k in 0..self.width {
            outputs[output + k] += self.value[leaf + k] as f64;
        }
    }

    fn end(&self, outputs: &mut [f64]) -> Option<usize> {
        let n_sums = self.n_sums(outputs);
        self.link(outputs, n_sums, self.roots.len() - 1);
        Some(greatest(outputs, 0.0))
    }
}

impl Predicts for ForestData {
    fn run(&self, values: &[f64], outputs: &mut [f64]) -> Option<usize> {
        self.begin(outputs);
        for tree in 0..self.roots.len() - 1 {
            self.add_tree(tree, values, outputs);
        }
        self.end(outputs)
    }

    /// Every tree for all rows of the block, before the next tree.
    fn run_rows(&self, rows: &[[f64; COLUMNS]], outputs: &mut [[f64; WIDTH]], labels: &mut [Option<usize>; BLOCK]) {
        for own in outputs.iter_mut() {
            self.begin(own);
        }
        for tree in 0..self.roots.len() - 1 {
            for (row, own) in rows.iter().zip(outputs.iter_mut()) {
                self.add_tree(tree, row, own);
            }
        }
        for (own, label) in outputs.iter_mut().zip(labels) {
            *label = self.end(own);
        }
    }
}
