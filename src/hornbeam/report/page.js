(function () {
  // The what-if form and the row tracer: the model's script predicts the values of the form, and the path of the
  // prediction is highlighted. All text from data is set as text, never as markup.
  "use strict";

  const data = JSON.parse(document.getElementById("report-data").textContent);
  const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });
  if (data.thresholds) threshold(data.thresholds);
  const form = document.getElementById("what-if");
  if (!form || typeof hornbeam === "undefined") return;
  const picture = document.querySelector(".picture");
  const prediction = document.getElementById("prediction"), probabilities = document.getElementById("probabilities");
  const path = document.getElementById("path"), traced = document.getElementById("traced");
  const chooser = document.getElementById("example");
  const number = new Intl.NumberFormat("en", { maximumSignificantDigits: 6, useGrouping: false });
  const known = new Map(hornbeam.columns.map((column) => [column.name, column.categories || []]));
  const fields = data.fields.map((field) => ({
    ...field, categories: known.get(field.column) || [],
    input: document.getElementById("f" + field.place), box: document.getElementById("m" + field.place),
  }));

  function valueOf(field) {
    const text = field.input.value;
    if (text === "") return null;
    if (field.kind === "choice") return field.categories[Number(text)];
    if (field.kind === "text") return text;
    return field.kind === "date" ? field.input.valueAsNumber / 1000 : Number(text);
  }

  function setValue(field, value) {
    if (value === null) field.input.value = "";
    else if (field.kind === "choice") field.input.value = String(field.categories.indexOf(value));
    else if (field.kind === "date") field.input.valueAsNumber = value * 1000;
    else field.input.value = String(value);
    if (field.box) field.box.checked = field.input.value === "";
  }

  function words(value) {
    if (value === null) return "no prediction";
    if (typeof value !== "number") return value;
    return data.target.date ? new Date(value * 1000).toISOString().replace("T", " ").slice(0, 19) : number.format(value);
  }

  function percent(probability) {
    return (100 * probability).toFixed(1) + "%";
  }

  function element(name, text, parent) {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (parent) parent.appendChild(made);
    return made;
  }

  function showShares(found) {
    probabilities.replaceChildren();
    if (!found) return;
    const listed = Object.keys(found).map((name) => [name, found[name]]);
    listed.sort((one, other) => other[1] - one[1]);
    for (const [name, probability] of listed.slice(0, 8)) {
      const item = element("li", undefined, probabilities);
      element("span", name, item).title = name;
      const bar = element("b", undefined, element("i", undefined, item));
      bar.style.width = 100 * probability + "%";
      bar.parentNode.setAttribute("aria-hidden", "true");
      element("span", percent(probability), item).className = "n";
    }
  }

  function showPath(steps) {
    path.replaceChildren();
    for (const step of steps) {
      const key = step.place ? step.place.join(".") : String(step.node);
      const line = data.words[key];
      if (line === undefined || (line === "" && steps.length > 1)) continue;
      element("li", (line || "all rows") + (step.weight < 0.9995 ? " (" + percent(step.weight) + " of the row)" : ""), path);
    }
  }

  function light(steps) {
    for (const lit of document.querySelectorAll(".lit")) {
      lit.classList.remove("lit");
      lit.removeAttribute("aria-current");
    }
    const keys = new Set(steps.map((step) => (step.place ? step.place.join(".") : String(step.node))));
    let last = null;
    if (picture) {
      picture.classList.toggle("tracing", keys.size > 0);
      for (const node of picture.querySelectorAll("[data-node], [data-child], [data-branch]")) {
        if (!keys.has(node.dataset.node || node.dataset.child || node.dataset.branch)) continue;
        node.classList.add("lit");
        if (node.dataset.node) last = node;
      }
    }
    for (const row of document.querySelectorAll("[data-key]")) {
      if (!keys.has(row.dataset.key)) continue;
      row.classList.add("lit");
      row.setAttribute("aria-current", "true");
    }
    if (last) inView(last);
  }

  function inView(node) {
    // Only the picture is moved, never the page.
    const box = picture.getBoundingClientRect(), place = node.getBoundingClientRect();
    const across = (place.left + place.right - box.left - box.right) / 2;
    const down = (place.top + place.bottom - box.top - box.bottom) / 2;
    if (place.right > box.right || place.left < box.left) picture.scrollLeft += across;
    if (place.bottom > box.bottom || place.top < box.top) picture.scrollTop += down;
  }

  function pointOut() {
    // A value outside the training data is allowed, but pointed out.
    for (const field of fields) {
      const out = document.getElementById("o" + field.place), value = valueOf(field);
      if (out) out.hidden = field.low === undefined || value === null || (value >= field.low && value <= field.high);
    }
  }

  function update(shown = true) {
    pointOut();
    const row = new Map(fields.map((field) => [field.column, valueOf(field)]));
    let found;
    try {
      found = hornbeam.predict(row);
    } catch (problem) {
      prediction.textContent = String(problem.message);
      prediction.dataset.prediction = "";
      showShares(null);
      showPath([]);
      light([]);
      return;
    }
    prediction.textContent = words(found.prediction);
    prediction.dataset.prediction = JSON.stringify(found.prediction);
    showShares(found.probabilities);
    showPath(found.path);
    light(shown ? found.path : []);
  }

  function trace() {
    const example = data.examples[chooser.selectedIndex - 1];
    traced.textContent = "";
    if (!example) return;
    fields.forEach((field, order) => setValue(field, example.values[order]));
    traced.textContent = "Row " + example.row + " is " + words(example.truth) + "; a model that had not seen it predicted " +
      words(example.prediction) + ".";
    update();
  }

  form.addEventListener("input", (event) => {
    const field = fields.find((one) => one.box === event.target || one.input === event.target);
    if (field && field.box === event.target) {
      if (field.box.checked) field.input.value = "";
      else field.input.value = field.typical;
    } else if (field && field.box) {
      field.box.checked = field.input.value === "";
    }
    if (chooser) chooser.selectedIndex = 0;
    if (traced) traced.textContent = "";
    update();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(() => {
    if (chooser) chooser.selectedIndex = 0;
    if (traced) traced.textContent = "";
    fields.forEach((field) => { if (field.box) field.box.checked = field.input.value === ""; });
    update(false);
  }));
  const fit = document.getElementById("fit");
  if (fit) {
    const show = () => fit.closest(".drawn").classList.toggle("fit", fit.checked);
    fit.addEventListener("change", show);
    // A picture that is a little too wide is scaled down; a much wider one scrolls.
    const wide = picture.querySelector("svg").viewBox.baseVal.width / picture.clientWidth;
    fit.checked = wide > 1 && wide <= 1.5;
    show();
  }
  if (chooser) {
    chooser.addEventListener("change", trace);
    const step = (by) => () => {
      const last = chooser.options.length - 1;
      chooser.selectedIndex = Math.min(Math.max(chooser.selectedIndex + by, 1), last);
      trace();
    };
    document.getElementById("before").addEventListener("click", step(-1));
    document.getElementById("after").addEventListener("click", step(1));
  }
  function threshold(counts) {
    // Counts of held-out rows by threshold, in hundredths, are enough to compute all values shown.
    const at = (name) => document.getElementById("t-" + name);
    const slider = at("at"), alarm = at("alarm"), miss = at("miss");
    const price = (input) => { const value = Number(input.value); return value >= 0 && isFinite(value) ? value : 0; };
    const cost = (step) => price(alarm) * counts.alarms[step] + price(miss) * (counts.positives - counts.found[step]);
    function show() {
      const step = Number(slider.value), found = counts.found[step], alarms = counts.alarms[step];
      const all = counts.positives + counts.negatives, right = found + counts.negatives - alarms;
      at("shown").textContent = step + "%";
      at("precision").textContent = found + alarms > 0 ? percent(found / (found + alarms)) : "-";
      at("recall").textContent = percent(found / counts.positives);
      at("accuracy").textContent = percent(right / all);
      at("cost").textContent = grouped.format(cost(step));
      at("tp").textContent = grouped.format(found);
      at("fn").textContent = grouped.format(counts.positives - found);
      at("fp").textContent = grouped.format(alarms);
      at("tn").textContent = grouped.format(counts.negatives - alarms);
      const costs = counts.found.map((_, place) => cost(place)), most = Math.max(...costs) || 1;
      at("costs").setAttribute("points", costs.map((one, place) => place + "," + (28 - 26 * one / most)).join(" "));
      at("mark").setAttribute("d", "M" + step + " 0V30");
      slider.setAttribute("aria-valuetext", step + "%, total cost " + grouped.format(cost(step)));
    }
    for (const input of [slider, alarm, miss]) input.addEventListener("input", show);
    at("half").addEventListener("click", () => { slider.value = 50; show(); });
    at("best").addEventListener("click", () => {
      let best = 50;
      for (let step = 0; step <= 100; step += 1) {
        const less = cost(step) - cost(best);
        if (less < 0 || (less === 0 && Math.abs(step - 50) < Math.abs(best - 50))) best = step;
      }
      slider.value = best;
      show();
    });
    show();
  }

  update(false); // nothing is highlighted before the reader has changed a value
  const root = picture && picture.querySelector('[data-node="0"]');
  if (root) inView(root); // a wide picture is scrolled to its root
})();
