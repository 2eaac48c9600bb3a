// Answers lines of JSON, each {script, name, rows}, with a line of JSON: what the script's object predicts of the rows.
"use strict";
const lines = require("node:readline").createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const { script, name, rows } = JSON.parse(line);
  let told;
  try {
    require("node:vm").runInThisContext(script);
    const made = globalThis[name];
    told = { columns: made.columns, target: made.target, answers: rows.map((row) => outcome(made, row)) };
  } catch (error) {
    told = { error: String(error) };
  }
  process.stdout.write(JSON.stringify(told) + "\n");
});

function outcome(made, row) {
  try {
    return made.predict(row);
  } catch (error) {
    return { error: String(error) };
  }
}
