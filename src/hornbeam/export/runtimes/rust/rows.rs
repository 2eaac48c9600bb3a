// ---- models that keep rows: distances and neighbors ----

const NUMBER: Int = 0; // kinds of columns
const OVERLAP: Int = 1;
const TABLE: Int = 2;
const FARTHEST: i32 = 0; // the distance of a missing value to others
const IGNORE: i32 = 1;
const AVERAGE: i32 = 2;
const INVERSE: i32 = 1; // the weight of a neighbor; 0: uniform
const LINEAR: i32 = 2;

record!(Measured {
    column: Int,
    kind: Int,
    codes: Int, // a missing category is the code after the last one
    knot: Int,  // ranks by interpolation, where there are knots
    knots: Int,
    table: usize,
    expected: f64,
    center: f64,
    width: f64,
    least: f64,
    greatest: f64,
});
record!(InstancesData {
    columns: &'static [Measured],
    knots: Reals,
    ranks: Reals,
    tables: Reals,
    weights: Reals,
    missing: i32,
    squared: bool,
    mean: bool,
    rooted: bool,
    all_tied: bool,
    kept: Reals, // columns x rows, on the scale of the distance
    target: Reals,
    row_weights: Reals, // empty where all are 1
    wanted: usize,
    weighting: i32,
    classes: usize,
    by_class: Reals, // classes x columns; empty where all classes share the weights
    k: f64,
    unit: f64,
    pseudo: f64,
});

#[derive(Clone, Copy)]
struct Near {
    far: f64,
    weight: f64,
    row: usize,
}

const NOT_FOUND: Near = Near { far: 0.0, weight: 0.0, row: 0 };

impl Measured {
    fn scaled(&self, of: &InstancesData, value: f64) -> f64 {
        if value.is_nan() {
            return if self.kind == NUMBER { value } else { self.codes as f64 };
        }
        if self.kind != NUMBER {
            return value;
        }
        if self.knots < 0 {
            if !(self.width > 0.0) {
                return 0.0;
            }
            let is_unit = self.center == 0.0 && self.width == 1.0;
            return if is_unit { value } else { (value - self.center) / self.width };
        }
        let (start, n) = (self.knot as usize, self.knots as usize);
        let (knots, ranks) = (&of.knots[start..start + n], &of.ranks[start..start + n]);
        if n == 0 {
            return 0.0;
        }
        let mut below = 0;
        while below < n && knots[below] <= value {
            below += 1;
        }
        if below == 0 {
            return ranks[0];
        }
        let last = below - 1;
        if below == n || knots[last] == value {
            return ranks[last];
        }
        let slope = (ranks[below] - ranks[last]) / (knots[below] - knots[last]);
        slope * (value - knots[last]) + ranks[last]
    }

    fn difference(&self, of: &InstancesData, query: f64, other: f64) -> f64 {
        let codes = self.codes as f64;
        if self.kind == TABLE {
            if of.missing == IGNORE && query == codes {
                return 0.0;
            }
            return of.power(of.tables[self.table + query as usize * (self.codes as usize + 1) + other as usize]);
        }
        if self.kind == OVERLAP {
            if query == codes || other == codes {
                return match of.missing {
                    FARTHEST => 1.0,
                    AVERAGE => of.power(self.expected),
                    _ => 0.0,
                };
            }
            return if query == other { 0.0 } else { 1.0 };
        }
        if !query.is_nan() && !other.is_nan() {
            return of.power(magnitude(query - other));
        }
        if of.missing == IGNORE {
            return 0.0;
        }
        if of.missing == AVERAGE {
            return of.power(self.expected);
        }
        if query.is_nan() && other.is_nan() {
            return of.power(self.greatest - self.least);
        }
        let known = if query.is_nan() { other } else { query };
        let (below, above) = (known - self.least, self.greatest - known);
        of.power(if below > above { below } else { above })
    }

    fn is_known(&self, value: f64) -> bool {
        if self.kind == NUMBER {
            !value.is_nan()
        } else {
            value != self.codes as f64
        }
    }
}

/// Sort by distance, equals by row: a heap, since rows may be many.
fn sort(found: &mut [Near]) {
    for at in (0..found.len() / 2).rev() {
        sift(found, at);
    }
    for last in (1..found.len()).rev() {
        found.swap(0, last);
        sift(&mut found[..last], 0);
    }
}

fn sift(found: &mut [Near], mut at: usize) {
    loop {
        let mut child = 2 * at + 1;
        if child >= found.len() {
            return;
        }
        if child + 1 < found.len() && is_before(&found[child], &found[child + 1]) {
            child += 1;
        }
        if !is_before(&found[at], &found[child]) {
            return;
        }
        found.swap(at, child);
        at = child;
    }
}

fn is_before(a: &Near, b: &Near) -> bool {
    a.far < b.far || (a.far == b.far && a.row < b.row)
}

impl InstancesData {
    fn power(&self, difference: f64) -> f64 {
        if self.squared {
            difference * difference
        } else {
            difference
        }
    }

    fn apart(&self, query: &[f64], row: usize, weights: &[f64]) -> f64 {
        let (mut total, mut known, mut whole) = (0.0, 0.0, 0.0);
        for (f, column) in self.columns.iter().enumerate() {
            whole += weights[f];
            if weights[f] == 0.0 {
                continue;
            }
            let other = self.kept[f * self.target.len() + row];
            total += weights[f] * column.difference(self, query[f], other);
            if column.is_known(query[f]) && column.is_known(other) {
                known += weights[f];
            }
        }
        if self.missing == IGNORE {
            return match (known > 0.0, self.mean) {
                (false, _) => f64::INFINITY,
                (true, true) => total / known,
                (true, false) => total * (whole / known),
            };
        }
        if self.mean && whole > 0.0 {
            total / whole
        } else {
            total
        }
    }

    /// Write the nearest of the rows (of a class, or of all); return their number.
    fn nearest(&self, query: &[f64], class: Option<usize>, k: usize, weights: &[f64], found: &mut [Near]) -> usize {
        let mut n = 0;
        for row in 0..self.target.len() {
            if class.map_or(false, |class| self.target[row] != class as f64) {
                continue;
            }
            let total = self.apart(query, row, weights);
            let far = if self.rooted && self.squared { sqrt(total) } else { total };
            let weight = if self.row_weights.is_empty() { 1.0 } else { self.row_weights[row] };
            found[n] = Near { far, weight, row };
            n += 1;
        }
        sort(&mut found[..n]);
        let mut count = if k < n { k } else { n };
        while self.all_tied && 0 < count && count < n && found[count].far <= found[count - 1].far {
            count += 1;
        }
        if !self.rooted && self.squared {
            for near in &mut found[..count] {
                near.far = sqrt(near.far);
            }
        }
        count
    }

    fn neighbors(&self, values: &[f64], found: &mut [Near]) -> usize {
        let mut query = [0.0; COLUMNS];
        let n_columns = self.columns.len();
        for (f, column) in self.columns.iter().enumerate() {
            query[f] = column.scaled(self, values[column.column as usize]);
        }
        let mut n = 0;
        if self.by_class.is_empty() {
            n = self.nearest(&query, None, self.wanted, self.weights, found);
            if self.row_weights.is_empty() {
                return n;
            }
        } else {
            for class in 0..self.classes {
                let weights = &self.by_class[class * n_columns..][..n_columns];
                n += self.nearest(&query, Some(class), self.k as usize, weights, &mut found[n..]);
            }
            sort(&mut found[..n]);
        }
        let (mut before, mut count) = (0.0, 0);
        while count < n && before < self.k {
            before += found[count].weight;
            count += 1;
        }
        while self.all_tied && 0 < count && count < n && found[count].far == found[count - 1].far {
            count += 1;
        }
        count
    }
}

impl Predicts for InstancesData {
    fn run(&self, values: &[f64], outputs: &mut [f64]) -> Option<usize> {
        let mut all = [NOT_FOUND; KEPT];
        let count = self.neighbors(values, &mut all);
        let found = &mut all[..count];
        let mut total = 0.0;
        for near in found.iter_mut() {
            let far = near.far / self.unit;
            if self.weighting == INVERSE {
                near.weight /= far + 0.001;
            }
            if self.weighting == LINEAR {
                let closeness = 1.0 - if far.is_finite() { far } else { 1.0 };
                near.weight *= if closeness > 0.0 { closeness } else { 0.0 };
            }
            total += near.weight;
        }
        if !(total > 0.0) {
            for near in found.iter_mut() {
                near.weight = 1.0;
            }
            total = count as f64;
        }
        if self.classes == 0 {
            let first = self.target[found[0].row];
            let mut away = 0.0;
            for near in found.iter() {
                away += near.weight * (self.target[near.row] - first);
            }
            fill(outputs, first + away / total);
            return None;
        }
        fill(outputs, 0.0);
        for near in found.iter() {
            outputs[self.target[near.row] as usize] += near.weight;
        }
        let whole = total + outputs.len() as f64 * self.pseudo;
        for output in outputs.iter_mut() {
            *output = (*output + self.pseudo) / whole;
        }
        Some(greatest(outputs, 0.0))
    }
}

record!(CorrectedData {
    model: &'static Model,
    near: &'static InstancesData,
    residuals: Reals,
    reach: f64,
});

/// A model whose predictions are corrected by the residuals of near rows.
impl Predicts for CorrectedData {
    fn run(&self, values: &[f64], outputs: &mut [f64]) -> Option<usize> {
        let mut found = [NOT_FOUND; KEPT];
        let count = self.near.neighbors(values, &mut found);
        let (mut total, mut away) = (0.0, 0.0);
        for near in &found[..count] {
            let residual = self.residuals[near.row];
            if !(near.far <= self.reach) || residual.is_nan() {
                continue;
            }
            let weight = near.weight / (near.far + 0.5);
            total += weight;
            away += weight * residual;
        }
        self.model.run(values, outputs);
        let corrected = outputs[0] + away / if total > 0.0 { total } else { 1.0 };
        fill(outputs, corrected);
        None
    }
}
