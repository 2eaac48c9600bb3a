(function (tools) {
  // The part of the runtime for models that keep rows (neighbors, models corrected by them, support vectors) and for
  // clusters. As in
  // javascript.js nothing depends on the model, and sums, rounding included, are those of the compiled kernels.
  "use strict";

  const SOFTENED = 0.5; // added to a distance before dividing by it, where neighbors correct a model
  const NEARLY_ZERO = 0.001; // the same, where they predict
  const ON_PLANE = 1e-9; // decision values up to this are of the first class
  const LEAST_PROBABILITY = 1e-7; // probabilities are kept this far from 0 and 1
  const MOST_ROUNDS = 100, NEAR = 1e-9; // of pairwise coupling
  const NUMBER = 0, TABLE = 2; // kinds of columns; 1: categories are equal or not
  const LOG_TWO_PI = 1.8378770664093453;
  const IMPOSSIBLE = -1e299; // a row whose log-densities are all at most this is impossible in every component
  const LOG_NORMAL = 1, LOG_ODDS = 2; // scales of numbers; 0: as they are
  const FARTHEST = 0, IGNORE = 1, AVERAGE = 2; // the distance of a missing value to others

  // ---- distances ----

  function scaleOf(column) {
    const { knots, ranks, center, width } = column;
    if (knots) return (value) => (value === value ? interpolated(value, knots, ranks) : NaN);
    if (!(width > 0)) return (value) => (value === value ? 0 : NaN);
    return center === 0 && width === 1 ? (value) => value : (value) => (value - center) / width;
  }

  function interpolated(value, knots, ranks) {
    if (!knots.length) return 0;
    let last = -1; // the last knot that is not above the value
    while (last + 1 < knots.length && knots[last + 1] <= value) last++;
    if (last < 0) return ranks[0];
    if (last === knots.length - 1 || knots[last] === value) return ranks[last];
    const slope = (ranks[last + 1] - ranks[last]) / (knots[last + 1] - knots[last]);
    return slope * (value - knots[last]) + ranks[last];
  }

  function byDistance(one, other) {
    return one.far === other.far ? one.row - other.row : one.far - other.far;
  }

  function distanceOf(plain, kept) {
    const power = (difference) => (plain.squared ? difference * difference : difference);
    const columns = plain.columns.map((column, f) => {
      const scaled = column.kind === NUMBER ? scaleOf(column) : (code) => (code === code ? code : column.codes);
      return Object.assign({ scaled, kept: kept[f].map(Number).map(scaled) }, column);
    });

    function numbersApart(column, query, other) {
      const { least, greatest, expected } = column;
      const farther = (value) => (value - least > greatest - value ? value - least : greatest - value);
      if (query === query && other === other) return power(plain.squared ? query - other : Math.abs(query - other));
      if (plain.missing === IGNORE) return 0;
      if (plain.missing === AVERAGE) return power(expected);
      return power(query === query ? farther(query) : other === other ? farther(other) : greatest - least);
    }

    function codesApart(column, query, other) {
      if (query === column.codes || other === column.codes) {
        return plain.missing === FARTHEST ? 1 : plain.missing === AVERAGE ? power(column.expected) : 0;
      }
      return query === other ? 0 : 1;
    }

    function added(column, query, other, weight) {
      if (column.kind === NUMBER) return weight * numbersApart(column, query, other);
      if (column.kind === TABLE) {
        if (plain.missing === IGNORE && query === column.codes) return 0;
        return weight * power(column.table[query * (column.codes + 1) + other]);
      }
      return weight * codesApart(column, query, other);
    }

    // sum of powers of differences, without the root, between the query and a kept row
    function apart(query, row, weights) {
      let sum = 0, known = 0, whole = 0;
      columns.forEach((column, f) => {
        whole += weights[f];
        if (weights[f] === 0) return;
        const other = column.kept[row], none = column.kind === NUMBER ? NaN : column.codes;
        sum += added(column, query[f], other, weights[f]);
        if (!Object.is(query[f], none) && !Object.is(other, none)) known += weights[f];
      });
      if (plain.missing === IGNORE) return known > 0 ? (plain.mean ? sum / known : sum * (whole / known)) : Infinity;
      return plain.mean && whole > 0 ? sum / whole : sum;
    }

    // the k nearest of some rows, and with allTied also those tied with the last
    function nearest(values, rows, k, weights) {
      const query = columns.map((column) => column.scaled(values[column.column]));
      const rooted = (sum) => (plain.squared ? Math.sqrt(sum) : sum);
      let neighbors = rows.map((row) => {
        const sum = apart(query, row, weights);
        return { row, far: plain.rooted ? rooted(sum) : sum };
      });
      neighbors.sort(byDistance);
      const last = neighbors[Math.min(k, neighbors.length) - 1].far;
      neighbors = plain.allTied ? neighbors.filter((near) => near.far <= last) : neighbors.slice(0, k);
      if (!plain.rooted) for (const near of neighbors) near.far = rooted(near.far);
      return neighbors;
    }

    return nearest;
  }

  // ---- neighbors ----

  function nearOf(plain) {
    const nearest = distanceOf(plain.distance, plain.kept);
    const everything = plain.target.map((_, row) => row);
    const own = plain.byClass && plain.byClass.map((_, code) => everything.filter((row) => plain.target[row] === code));

    // the nearest neighbors whose weights add up to k, and with allTied also those tied with the last
    function enough(neighbors) {
      let before = 0, count = 0;
      while (count < neighbors.length && before < plain.k) before += neighbors[count++].weight;
      const last = neighbors[count - 1].far;
      return neighbors.filter((near, i) => i < count || (plain.distance.allTied && near.far === last));
    }

    return (values) => {
      let neighbors = [];
      if (own) {
        own.forEach((rows, code) => {
          if (rows.length) neighbors = neighbors.concat(nearest(values, rows, plain.k, plain.byClass[code]));
        });
        neighbors.sort(byDistance);
      } else {
        neighbors = nearest(values, everything, plain.wanted, plain.distance.weights);
      }
      for (const near of neighbors) near.weight = plain.weights ? plain.weights[near.row] : 1;
      return own || plain.weights ? enough(neighbors) : neighbors;
    };
  }

  function instancesOf(plain) {
    const near = nearOf(plain);

    function weightOf(neighbor) {
      if (plain.weighting === "uniform") return neighbor.weight;
      const far = neighbor.far / plain.unit;
      if (plain.weighting === "inverse") return neighbor.weight / (far + NEARLY_ZERO);
      return neighbor.weight * Math.max(1 - (Number.isFinite(far) ? far : 1), 0);
    }

    return (values) => {
      const neighbors = near(values);
      let weights = neighbors.map(weightOf), total = weights.reduce((sum, one) => sum + one, 0);
      if (!(total > 0)) {
        weights = neighbors.map(() => 1);
        total = neighbors.length;
      }
      const path = neighbors.map((neighbor, i) => ({ node: neighbor.row, weight: weights[i] / total }));
      if (!plain.classes) {
        const first = plain.target[neighbors[0].row];
        const sum = neighbors.reduce((sum, neighbor, i) => sum + weights[i] * (plain.target[neighbor.row] - first), 0);
        return { outputs: [first + sum / total], path };
      }
      const sums = new Array(plain.classes).fill(0);
      neighbors.forEach((neighbor, i) => (sums[plain.target[neighbor.row]] += weights[i]));
      const outputs = sums.map((sum) => (sum + plain.pseudo) / (total + plain.classes * plain.pseudo));
      return { outputs, label: tools.greatest(outputs), path };
    };
  }

  function correctedOf(plain) {
    const base = tools.modelOf(plain.base), near = nearOf(plain.near), residuals = plain.residuals.map(Number);
    return (values) => {
      const inner = base(values);
      let total = 0, sum = 0;
      for (const neighbor of near(values)) {
        const residual = residuals[neighbor.row];
        if (!(neighbor.far <= plain.reach) || residual !== residual) continue;
        const weight = neighbor.weight / (neighbor.far + SOFTENED);
        total += weight;
        sum += weight * residual;
      }
      return { outputs: [inner.outputs[0] + sum / (total > 0 ? total : 1)], path: inner.path };
    };
  }

  // ---- support vectors ----

  const bits = new Int32Array(1), float = new Float32Array(bits.buffer), round = Math.fround;

  // the exponential of a number of at most zero, in single precision as in the kernels; 0 below -87
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
      return power;
    };
  }

  // sum of coefficients times kernel values over a range of rows, as eight interleaved sums
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
      const given = plain.kernel.name === "polynomial" ? point : Float32Array.from(point);
      const kernels = vectors.map((vector) => kernel(vector, given));
      return machines.map(({ coefficients, runs, intercept }) => {
        const first = weighed(coefficients, kernels, runs[0], runs[1]);
        return first + weighed(coefficients, kernels, runs[2], runs[3]) + intercept;
      });
    }

    function votes(margins) {
      const outputs = new Array(classes).fill(0);
      if (pairs[0][0] < 0) {
        outputs[pairs[tools.greatest(margins)][1]] = 1;
        return outputs;
      }
      pairs.forEach(([first, second], machine) => (outputs[margins[machine] > ON_PLANE ? second : first] += 1));
      return outputs.map((count) => count / machines.length);
    }

    function probabilitiesOf(margins) {
      if (!slopes) return votes(margins);
      const ofPairs = margins.map((value, machine) => {
        const z = value * slopes[machine][0] + slopes[machine][1], small = Math.exp(-Math.abs(z));
        return z >= 0 ? small / (1 + small) : 1 / (1 + small);
      });
      if (pairs[0][0] >= 0) return coupled(ofPairs, pairs, classes);
      const outputs = new Array(classes).fill(0), total = ofPairs.reduce((sum, value) => sum + value, 0);
      pairs.forEach((pair, machine) => (outputs[pair[1]] = ofPairs[machine] / total));
      return outputs;
    }

    return (values) => {
      const margins = decisions(values);
      if (!classes) return { outputs: margins, path: [] };
      const outputs = probabilitiesOf(margins);
      return { outputs, label: tools.greatest(outputs), path: [] };
    };
  }

  // pairwise coupling: probabilities p that come closest to r[ij] p[j] = r[ji] p[i] for every pair of classes
  function coupled(ofPairs, pairs, classes) {
    const outputs = new Array(classes).fill(0);
    const present = [...new Set(pairs.flat())].sort((one, other) => one - other), k = present.length;
    if (k === 2) {
      outputs[pairs[0][1]] = ofPairs[0];
      outputs[pairs[0][0]] = 1 - ofPairs[0];
      return outputs;
    }
    const r = present.map(() => new Array(k).fill(0));
    pairs.forEach(([first, second], machine) => {
      const value = Math.min(Math.max(ofPairs[machine], LEAST_PROBABILITY), 1 - LEAST_PROBABILITY);
      const i = present.indexOf(first), j = present.indexOf(second);
      [r[j][i], r[i][j]] = [value, 1 - value];
    });
    const q = r.map((row, i) => row.map((_, j) => (i === j ? r.reduce((sum, other) => sum + other[i] ** 2, 0)
      : -r[i][j] * r[j][i])));
    let p = present.map(() => 1 / k);
    for (let round = 0; round < MOST_ROUNDS; round++) {
      let qp = q.map((row) => row.reduce((sum, value, j) => sum + value * p[j], 0));
      let whole = p.reduce((sum, value, i) => sum + value * qp[i], 0);
      if (Math.max(...qp.map((value) => Math.abs(value - whole))) < NEAR) break;
      for (let t = 0; t < k; t++) {
        const step = (whole - qp[t]) / q[t][t];
        p[t] += step;
        whole = (whole + step * (step * q[t][t] + 2 * qp[t])) / (1 + step) ** 2;
        qp = qp.map((value, i) => (value + step * q[t][i]) / (1 + step));
        p = p.map((value) => value / (1 + step));
      }
    }
    present.forEach((code, i) => (outputs[code] = p[i]));
    return outputs;
  }

  // ---- clusters ----

  // outputs are 1 for the nearest center (the first in a tie) and 0 for the others
  function centersOf({ scales, nominal, numbers, codes }) {
    return (values) => {
      const costs = numbers.map((center, k) => {
        let sum = 0;
        scales.forEach(([column, middle, width, stretch], i) => {
          const value = values[column];
          if (value !== value) return;
          const away = (width > 0 ? (value - middle) / width : 0) * stretch - center[i];
          sum += away * away;
        });
        nominal.forEach(([column, weight], i) => {
          if (values[column] === values[column] && values[column] !== codes[k][i]) sum += weight;
        });
        return sum;
      });
      const label = costs.indexOf(Math.min(...costs));
      return { outputs: costs.map((_, k) => (k === label ? 1 : 0)), label, path: [{ node: label, weight: 1 }] };
    };
  }

  // a number on the scale on which it is normal; NaN if it is missing or impossible
  function placed(value, scale, low, high) {
    if (scale === LOG_NORMAL) return value > low ? Math.log(value - low) : NaN;
    if (scale === LOG_ODDS) return low < value && value < high ? Math.log(value - low) - Math.log(high - value) : NaN;
    return value;
  }

  const product = (one, other) => one.reduce((sum, value, i) => sum + value * other[i], 0);

  // the known part of a covariance matrix as L D L'
  function factored(matrix, known) {
    const lower = [], pivots = [];
    known.forEach((i, at) => {
      const row = [], left = [];
      for (let j = 0; j < at; j++) {
        left.push(matrix[i][known[j]] - product(left, lower[j]));
        row.push(left[j] / pivots[j]);
      }
      pivots.push(matrix[i][i] - product(left, row));
      lower.push(row);
    });
    return { lower, pivots };
  }

  // minus twice the logarithm of a normal density, of numbers given as differences from their means
  function correlated({ lower, pivots }, apart) {
    const turned = [];
    return apart.reduce((sum, away, i) => {
      const rest = away - lower[i].reduce((before, value, j) => before + value * turned[j], 0);
      turned.push(rest);
      return sum + rest * rest / pivots[i] + Math.log(pivots[i]) + LOG_TWO_PI;
    }, 0);
  }

  // the probabilities of the components of a mixture
  function mixtureOf({ weights, base, numbers, means, deviations, logs, matrices, counts, rates, logRates, groups }) {
    return (values) => {
      const points = numbers.map(([column, ...scale]) => placed(values[column], ...scale));
      const known = [...points.keys()].filter((f) => points[f] === points[f]);
      const whole = [...counts.keys()].filter((f) => {
        const count = values[counts[f]];
        return count >= 0 && count === Math.floor(count);
      });
      const cells = groups.map(({ columns, codes, steps }) => columns.reduce((cell, column, i) =>
        cell + steps[i] * (values[column] === values[column] ? values[column] : codes[i]), 0));
      const factors = matrices && matrices.map((matrix) => factored(matrix, known));
      const densities = base.map((logarithm, k) => {
        const apart = known.map((f) => points[f] - means[k][f]);
        const far = factors ? correlated(factors[Math.min(k, factors.length - 1)], apart)
          : known.reduce((sum, f, i) => sum + ((apart[i] / deviations[k][f]) ** 2 + logs[k][f]), 0);
        const shares = groups.reduce((sum, group, i) => sum + group.cells[k][cells[i]], logarithm);
        return whole.reduce((sum, f) => sum + (values[counts[f]] * logRates[k][f] - rates[k][f]), shares - 0.5 * far);
      });
      const most = Math.max(...densities);
      let outputs = weights;
      if (most > IMPOSSIBLE) {
        const likely = densities.map((each) => Math.exp(each - most)), total = likely.reduce((sum, each) => sum + each, 0);
        outputs = likely.map((each) => each / total);
      }
      const label = tools.greatest(outputs);
      return { outputs, label, path: [{ node: label, weight: 1 }] };
    };
  }

  return { instances: instancesOf, corrected: correctedOf, margin: marginOf, centers: centersOf, mixture: mixtureOf };
})
