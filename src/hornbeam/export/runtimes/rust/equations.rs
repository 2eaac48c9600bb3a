// ---- equations: an intercept, and parts that are products of factors or looked up by category ----

record!(Factor {
    column: Int,
    power: Int,
    table: Int, // table >= 0: one entry per category, the last one for a missing value
    last: Int,
    fill: f64, // in the place of a missing number
});
record!(Part {
    start: Int, // its factors; start < 0: looked up by the category of a column
    stop: Int,
    column: Int,
    table: Int,
    last: Int,
    coefficient: f64,
});
record!(Equation { start: Int, stop: Int, intercept: f64 });
record!(Algebra {
    equations: &'static [Equation],
    parts: &'static [Part],
    factors: &'static [Factor],
    tables: Reals,
});

fn entry(tables: &[f64], start: Int, last: Int, code: f64) -> f64 {
    tables[start as usize + if code.is_nan() { last as usize } else { code as usize }]
}

impl Factor {
    fn value(&self, tables: &[f64], values: &[f64]) -> f64 {
        let mut value = values[self.column as usize];
        if self.table >= 0 {
            return entry(tables, self.table, self.last, value);
        }
        if value.is_nan() {
            value = self.fill;
        }
        power(value, self.power as i32)
    }
}

impl Algebra {
    fn compute(&self, which: usize, values: &[f64]) -> f64 {
        let equation = &self.equations[which];
        let mut total = equation.intercept;
        for part in &self.parts[equation.start as usize..equation.stop as usize] {
            if part.start < 0 {
                total += entry(self.tables, part.table, part.last, values[part.column as usize]);
                continue;
            }
            let factors = &self.factors[part.start as usize..part.stop as usize];
            let mut product = factors[0].value(self.tables, values);
            for factor in &factors[1..] {
                product *= factor.value(self.tables, values);
            }
            total += part.coefficient * product;
        }
        total
    }
}

/// A linear model; NaN where values are so large that there is no finite result.
impl Predicts for Algebra {
    fn run(&self, values: &[f64], outputs: &mut [f64]) -> Option<usize> {
        let value = self.compute(0, values);
        fill(outputs, if value.is_finite() { value } else { f64::NAN });
        None
    }
}
