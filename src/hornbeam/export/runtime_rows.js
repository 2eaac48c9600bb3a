(function (tools) {
  // The part of the runtime for models that keep rows: neighbors, models put right by them, support vectors. As in
  // runtime.js nothing depends on the model, and sums, rounding included, are those of the compiled kernels.
  "use strict";

  const SOFTENED = 0.5; // added to a distance before it divides, where neighbors put a model right
  const NEARLY_ZERO = 0.001; // the same, where they answer
  const LEAST_CHANCE = 1e-7; // chances are kept this far from 0 and 1
  const MOST_ROUNDS = 100, NEAR = 1e-9; // of coupling
  const NUMBER = 0, TABLE = 2; // kinds of columns; 1: categories differ or do not
  const FARTHEST = 0, IGNORE = 1, AVERAGE = 2; // what a missing value is to others

  // ---- distances ----

  function placedBy(column) {
    const { knots, ranks, center, width } = column;
    if (knots) return (value) => (value === value ? interpolated(value, knots, ranks) : NaN);
    if (!(width > 0)) return (value) => (value === value ? 0 : NaN);
    return center === 0 && width === 1 ? (value) => value : (value) => (value - center) / width;
  }

  function interpolated(value, knots, ranks) {
    if (!knots.length) return 0;
    let place = -1; // the last knot that is not above the value
    while (place + 1 < knots.length && knots[place + 1] <= value) place++;
    if (place < 0) return ranks[0];
    if (place === knots.length - 1 || knots[place] === value) return ranks[place];
    const slope = (ranks[place + 1] - ranks[place]) / (knots[place + 1] - knots[place]);
    return slope * (value - knots[place]) + ranks[place];
  }

  function distanceOf(plain, kept) {
    const power = (difference) => (plain.squared ? difference * difference : difference);
    const columns = plain.columns.map((column, f) => {
      const place = column.kind === NUMBER ? placedBy(column) : (code) => (code === code ? code : column.codes);
      return Object.assign({ place, kept: kept[f].map(Number).map(place) }, column);
    });

    function numbersApart(column, asked, other) {
      const { least, greatest, expected } = column;
      const farther = (value) => (value - least > greatest - value ? value - least : greatest - value);
      if (asked === asked && other === other) return power(plain.squared ? asked - other : Math.abs(asked - other));
      if (plain.missing === IGNORE) return 0;
      if (plain.missing === AVERAGE) return power(expected);
      return power(asked === asked ? farther(asked) : other === other ? farther(other) : greatest - least);
    }

    function codesApart(column, asked, other) {
      if (asked === column.codes || other === column.codes) {
        return plain.missing === FARTHEST ? 1 : plain.missing === AVERAGE ? power(column.expected) : 0;
      }
      return asked === other ? 0 : 1;
    }

    function added(column, asked, other, weight) {
      if (column.kind === NUMBER) return weight * numbersApart(column, asked, other);
      if (column.kind === TABLE) {
        if (plain.missing === IGNORE && asked === column.codes) return 0;
        return weight * power(column.table[asked * (column.codes + 1) + other]);
      }
      return weight * codesApart(column, asked, other);
    }

    // sums of powers of differences, not rooted, of a row asked about from one that is kept
    function apart(asked, row, weights) {
      let sum = 0, known = 0, whole = 0;
      columns.forEach((column, f) => {
        whole += weights[f];
        if (weights[f] === 0) return;
        const other = column.kept[row], none = column.kind === NUMBER ? NaN : column.codes;
        sum += added(column, asked[f], other, weights[f]);
        if (!Object.is(asked[f], none) && !Object.is(other, none)) known += weights[f];
      });
      if (plain.missing === IGNORE) return known > 0 ? (plain.mean ? sum / known : sum * (whole / known)) : Infinity;
      return plain.mean && whole > 0 ? sum / whole : sum;
    }

    // the k nearest of some rows, those tied with the last too where all are asked for
    function nearest(values, rows, k, weights) {
      const asked = columns.map((column) => column.place(values[column.column]));
      const rooted = (sum) => (plain.squared ? Math.sqrt(sum) : sum);
      let found = rows.map((row) => {
        const sum = apart(asked, row, weights);
        return { row, far: plain.rooted ? rooted(sum) : sum };
      });
      found.sort((one, other) => (one.far === other.far ? one.row - other.row : one.far - other.far));
      const last = found[Math.min(k, found.length) - 1].far;
      found = plain.allTied ? found.filter((near) => near.far <= last) : found.slice(0, k);
      if (!plain.rooted) for (const near of found) near.far = rooted(near.far);
      return found;
    }

    return nearest;
  }

  // ---- kept rows that answer ----

  function nearOf(plain) {
    const nearest = distanceOf(plain.distance, plain.kept);
    const everything = plain.target.map((_, row) => row);
    const own = plain.byClass && plain.byClass.map((_, code) => everything.filter((row) => plain.target[row] === code));

    // of more neighbors than needed, nearest first, those whose weight makes up k, and those tied with the last
    function enough(found) {
      let before = 0, count = 0;
      while (count < found.length && before < plain.k) before += found[count++].weight;
      const last = found[count - 1].far;
      return found.filter((near, place) => place < count || (plain.distance.allTied && near.far === last));
    }

    return (values) => {
      let found = [];
      if (own) {
        own.forEach((rows, code) => {
          if (rows.length) found = found.concat(nearest(values, rows, plain.k, plain.byClass[code]));
        });
        found.sort((one, other) => (one.far === other.far ? one.row - other.row : one.far - other.far));
      } else {
        found = nearest(values, everything, plain.wanted, plain.distance.weights);
      }
      for (const near of found) near.weight = plain.weights ? plain.weights[near.row] : 1;
      return own || plain.weights ? enough(found) : found;
    };
  }

  function instancesOf(plain) {
    const near = nearOf(plain);

    function say(neighbor) {
      if (plain.weighting === "uniform") return neighbor.weight;
      const far = neighbor.far / plain.unit;
      if (plain.weighting === "inverse") return neighbor.weight / (far + NEARLY_ZERO);
      return neighbor.weight * Math.max(1 - (Number.isFinite(far) ? far : 1), 0);
    }

    return (values) => {
      const found = near(values);
      let says = found.map(say), total = says.reduce((sum, one) => sum + one, 0);
      if (!(total > 0)) {
        says = found.map(() => 1);
        total = found.length;
      }
      const path = found.map((neighbor, i) => ({ node: neighbor.row, weight: says[i] / total }));
      if (!plain.classes) {
        const first = plain.target[found[0].row];
        const sum = found.reduce((sum, neighbor, i) => sum + says[i] * (plain.target[neighbor.row] - first), 0);
        return { shares: [first + sum / total], path };
      }
      const sums = new Array(plain.classes).fill(0);
      found.forEach((neighbor, i) => (sums[plain.target[neighbor.row]] += says[i]));
      const shares = sums.map((sum) => (sum + plain.pseudo) / (total + plain.classes * plain.pseudo));
      return { shares, label: tools.greatest(shares), path };
    };
  }

  function correctedOf(plain) {
    const base = tools.modelOf(plain.base), near = nearOf(plain.near), residuals = plain.residuals.map(Number);
    return (values) => {
      const answer = base(values);
      let total = 0, sum = 0;
      for (const neighbor of near(values)) {
        const residual = residuals[neighbor.row];
        if (!(neighbor.far <= plain.reach) || residual !== residual) continue;
        const says = neighbor.weight / (neighbor.far + SOFTENED);
        total += says;
        sum += says * residual;
      }
      return { shares: [answer.shares[0] + sum / (total > 0 ? total : 1)], path: answer.path };
    };
  }

  // ---- support vectors ----

  const bits = new Int32Array(1), float = new Float32Array(bits.buffer), round = Math.fround;

  // e to the power of a number not above zero, in single precision as the kernels take it; 0 below -87
  function exponential(x) {
    const shift = 12582912;
    const beyond = Math.abs(x) > 87, below = -Math.min(Math.abs(x), 87);
    float[0] = round(round(below * round(1.44269504)) + shift);
    const raised = bits[0];
    const whole = round(float[0] - shift);
    const r = round(round(below - round(whole * round(0.693359375))) + round(whole * round(2.1219444e-4)));
    let sum = round(1 / 5040);
    for (const factor of [1 / 720, 1 / 120, 1 / 24, 1 / 6, 0.5, 1, 1]) sum = round(round(sum * r) + round(factor));
    float[0] = sum;
    bits[0] += raised << 23;
    return beyond ? 0 : float[0];
  }

  function kernelOf({ name, degree, gamma, coef0 }) {
    if (name === "rbf") {
      return (one, other) => {
        let sum = 0;
        for (let c = 0; c < one.length; c++) {
          const away = round(one[c] - other[c]);
          sum = round(sum + round(away * away));
        }
        return exponential(round(-round(gamma) * sum));
      };
    }
    const product = (one, other) => {
      let sum = 0;
      for (let c = 0; c < one.length; c++) sum += one[c] * other[c];
      return gamma * sum + coef0;
    };
    if (name === "sigmoid") {
      return (one, other) => {
        const z = round(product(one, other)), e = exponential(round(-2 * Math.abs(z)));
        return (z < 0 ? -1 : 1) * round(round(1 - e) / round(1 + e));
      };
    }
    return (one, other) => {
      const base = product(one, other);
      let power = base;
      for (let times = 1; times < degree; times++) power *= base;
      return round(power);
    };
  }

  // coefficients times kernel values of a run of rows, in eight sums side by side
  function weighed(coefficients, kernels, first, last) {
    const lanes = new Array(8).fill(0), whole = first + Math.floor((last - first) / 8) * 8;
    for (let t = first; t < last; t++) lanes[t < whole ? (t - first) % 8 : 0] += coefficients[t] * kernels[t];
    return lanes[0] + lanes[1] + (lanes[2] + lanes[3]) + (lanes[4] + lanes[5] + (lanes[6] + lanes[7]));
  }

  function marginOf(plain) {
    const { axes, machines, pairs, slopes, classes } = plain;
    const kernel = plain.kernel && kernelOf(plain.kernel);
    const vectors = plain.vectors && plain.vectors.map((vector) => Float32Array.from(vector));

    function pointOf(values) {
      const point = axes.map(([factor, shift, width]) => (tools.factorOf(factor, values) - shift) / width);
      if (!plain.products) return point;
      return plain.products.map(([weight, ...chosen]) => chosen.reduce((all, axis) => all * point[axis], 1) * weight);
    }

    function decisions(values) {
      const point = pointOf(values);
      if (!kernel) {
        return machines.map(({ plane, intercept }) => plane.reduce((sum, w, i) => sum + w * point[i], 0) + intercept);
      }
      const narrow = Float32Array.from(point), kernels = vectors.map((vector) => kernel(vector, narrow));
      return machines.map(({ coefficients, runs, intercept }) => {
        const first = weighed(coefficients, kernels, runs[0], runs[1]);
        return first + weighed(coefficients, kernels, runs[2], runs[3]) + intercept;
      });
    }

    function votes(said) {
      const shares = new Array(classes).fill(0);
      if (pairs[0][0] < 0) {
        shares[pairs[tools.greatest(said)][1]] = 1;
        return shares;
      }
      pairs.forEach(([first, second], machine) => (shares[said[machine] > 0 ? second : first] += 1));
      return shares.map((share) => share / machines.length);
    }

    function told(said) {
      if (!slopes) return votes(said);
      const chances = said.map((value, machine) => {
        const z = value * slopes[machine][0] + slopes[machine][1], small = Math.exp(-Math.abs(z));
        return z >= 0 ? small / (1 + small) : 1 / (1 + small);
      });
      if (pairs[0][0] >= 0) return coupled(chances, pairs, classes);
      const shares = new Array(classes).fill(0), total = chances.reduce((sum, chance) => sum + chance, 0);
      pairs.forEach((pair, machine) => (shares[pair[1]] = chances[machine] / total));
      return shares;
    }

    return (values) => {
      const said = decisions(values);
      if (!classes) return { shares: said, path: [] };
      const shares = told(said);
      return { shares, label: tools.greatest(shares), path: [] };
    };
  }

  // shares p that come nearest to r[ij] p[j] = r[ji] p[i] for every pair
  function coupled(chances, pairs, classes) {
    const shares = new Array(classes).fill(0);
    const present = [...new Set(pairs.flat())].sort((one, other) => one - other), k = present.length;
    if (k === 2) {
      shares[pairs[0][1]] = chances[0];
      shares[pairs[0][0]] = 1 - chances[0];
      return shares;
    }
    const r = present.map(() => new Array(k).fill(0));
    pairs.forEach(([first, second], machine) => {
      const chance = Math.min(Math.max(chances[machine], LEAST_CHANCE), 1 - LEAST_CHANCE);
      const i = present.indexOf(first), j = present.indexOf(second);
      [r[j][i], r[i][j]] = [chance, 1 - chance];
    });
    const q = r.map((row, i) => row.map((_, j) => (i === j ? r.reduce((sum, other) => sum + other[i] ** 2, 0)
      : -r[i][j] * r[j][i])));
    let p = present.map(() => 1 / k);
    for (let round = 0; round < MOST_ROUNDS; round++) {
      let qp = q.map((row) => row.reduce((sum, value, j) => sum + value * p[j], 0));
      let whole = p.reduce((sum, share, i) => sum + share * qp[i], 0);
      if (Math.max(...qp.map((value) => Math.abs(value - whole))) < NEAR) break;
      for (let t = 0; t < k; t++) {
        const step = (whole - qp[t]) / q[t][t];
        p[t] += step;
        whole = (whole + step * (step * q[t][t] + 2 * qp[t])) / (1 + step) ** 2;
        qp = qp.map((value, i) => (value + step * q[t][i]) / (1 + step));
        p = p.map((share) => share / (1 + step));
      }
    }
    present.forEach((code, i) => (shares[code] = p[i]));
    return shares;
  }

  return { instances: instancesOf, corrected: correctedOf, margin: marginOf };
})
