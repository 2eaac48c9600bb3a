// ---- functions of numbers that `core` does not have ----

fn magnitude(x: f64) -> f64 {
    if x < 0.0 {
        -x
    } else {
        x
    }
}

/// Two to the power of an integer from -1022 to 1023.
fn power_of_two(k: i32) -> f64 {
    f64::from_bits(((k + 1023) as u64) << 52)
}

/// The exponential function, within one unit of the last digit: x = k log(2) + r, and a series for r.
fn exp(x: f64) -> f64 {
    const LOG2_HIGH: f64 = 0.693_147_180_485_539_1; // 33 bits, so that products with k are exact
    const LOG2_LOW: f64 = 7.440_617_110_012_397e-11;
    if x.is_nan() {
        return x;
    }
    if x > 709.8 {
        return f64::INFINITY;
    }
    if x < -745.2 {
        return 0.0;
    }
    let k = (x * core::f64::consts::LOG2_E + if x < 0.0 { -0.5 } else { 0.5 }) as i32;
    let high = x - k as f64 * LOG2_HIGH;
    let low = k as f64 * LOG2_LOW;
    let r = high - low;
    let lost = (high - r) - low;
    let mut series = 0.0;
    let mut n = 13;
    while n > 2 {
        series = (series + 1.0) * r / n as f64;
        n -= 1;
    }
    let near_one = 1.0 + (r + (lost + (series + 1.0) * r * r * 0.5));
    near_one * power_of_two(k / 2) * power_of_two(k - k / 2)
}

/// The square root, rounded correctly: an approximation, and the last digit by integers.
fn sqrt(x: f64) -> f64 {
    if x < f64::MIN_POSITIVE && x > 0.0 {
        return sqrt(x * power_of_two(108)) * power_of_two(-54);
    }
    if !(x > 0.0) || x == f64::INFINITY {
        return if x < 0.0 { f64::NAN } else { x };
    }
    let bits = x.to_bits();
    let exponent = (bits >> 52) as i32 - 1075;
    let shift = if exponent % 2 == 0 { 52 } else { 53 };
    let square = u128::from((bits & ((1 << 52) - 1)) | 1 << 52) << shift;
    let wide = square as f64;
    let mut about = f64::from_bits((wide.to_bits() >> 1) + (1023 << 51));
    for _ in 0..4 {
        about = 0.5 * (about + wide / about);
    }
    let mut root = about as u128;
    while root * root > square {
        root -= 1;
    }
    while (root + 1) * (root + 1) <= square {
        root += 1;
    }
    if square - root * root > root {
        root += 1;
    }
    root as f64 * power_of_two((exponent - shift) / 2)
}

/// A whole power.
fn power(x: f64, n: i32) -> f64 {
    let (mut result, mut square, mut left) = (1.0, x, n.unsigned_abs());
    while left > 0 {
        if left % 2 == 1 {
            result *= square;
        }
        square *= square;
        left /= 2;
    }
    if n < 0 {
        1.0 / result
    } else {
        result
    }
}
