"""Examples at the start of every command's help; a test runs each of them."""

from __future__ import annotations

START = (
    ("hornbeam learn iris", "learn from an example set"),
    ("hornbeam data loans.csv", "describe your own table"),
    ("hornbeam learn loans.csv --target default --save loans.hornbeam", "learn and save a model"),
    ("hornbeam predict loans.hornbeam new.csv -o predictions.csv", "use it"),
    ("hornbeam report loans.csv --target default -o loans.html", "share the results"),
)
EXAMPLES: dict[str, tuple[tuple[str, str], ...]] = {
    "data": (
        ("hornbeam data", "list the example sets"),
        ("hornbeam data loans.csv", "describe the columns of a file"),
        ("hornbeam data loans.csv --target default", "and warn about problems for this target"),
    ),
    "learn": (
        ("hornbeam learn iris", "a decision tree for an example set"),
        ("hornbeam learn loans.csv --target default --save loans.hornbeam", "learn and save a model"),
        ("hornbeam learn loans.csv --target default --scheme forest", "with another scheme"),
    ),
    "report": (
        ("hornbeam report loans.csv --target default -o loans.html", "compare schemes, report on the best"),
        ("hornbeam report iris --scheme c45 -o iris.html", "report on a tree"),
    ),
    "compare": (
        ("hornbeam compare loans.csv --target default", "the default schemes"),
        ("hornbeam compare iris --schemes c45,ripper,neighbors", "some schemes"),
        ("hornbeam compare iris --prune all", "pruning methods for a tree"),
    ),
    "curve": (
        ("hornbeam curve iris --of rows", "would more rows help?"),
        ("hornbeam curve iris --of min-samples-leaf", "scores by a parameter of the scheme"),
        ("hornbeam curve loans.csv --target default --of roc", "a ROC curve"),
    ),
    "cluster": (
        ("hornbeam cluster iris -k 3", "three clusters, compared with the classes"),
        ("hornbeam cluster loans.csv", "choose the number of clusters"),
    ),
    "predict": (
        ("hornbeam predict loans.hornbeam new.csv", "one prediction per row"),
        ("hornbeam predict loans.hornbeam new.csv --keep id --proba -o predictions.csv", "with ids and probabilities"),
        ("hornbeam predict loans.hornbeam new.csv --explain all", "why each row gets its prediction"),
    ),
    "show": (
        ("hornbeam show loans.hornbeam", "the model as text"),
        ("hornbeam show loans.hornbeam -o tree.svg", "as a picture"),
        ("hornbeam show loans.hornbeam --max-depth 2", "only the top of a tree"),
    ),
    "export": (
        ("hornbeam export loans.hornbeam -o loans.py", "a Python file that predicts without packages"),
        ("hornbeam export loans.hornbeam --to sql --dialect duckdb", "an SQL query"),
    ),
    "check": (
        ("hornbeam export loans.hornbeam -o loans.py", "first export a model"),
        ("hornbeam check loans.py new.csv --model loans.hornbeam", "then compare it with the model"),
    ),
    "import": (
        ("hornbeam import trees.pmml -o trees.hornbeam", "the trees of a PMML file as a model file"),
        ("hornbeam import trees.onnx -o trees.hornbeam --target default", "those of an ONNX graph"),
    ),
    "serve": (
        ("hornbeam serve loans.hornbeam", "predictions over HTTP, at port 8000"),
        ("hornbeam serve loans.hornbeam --port 0", "at any free port"),
    ),
    "diff": (
        ("hornbeam diff old.hornbeam loans.hornbeam", "what changed"),
        ("hornbeam diff old.hornbeam loans.hornbeam --data new.csv", "and which rows are predicted differently"),
    ),
    "audit": (
        ("hornbeam audit loans.hornbeam new.csv", "where rows with missing values go"),
        ("hornbeam audit loans.hornbeam new.csv --nodes 5", "in the five most affected nodes"),
    ),
    "schemes": (
        ("hornbeam schemes", "all schemes"),
        ("hornbeam schemes cart", "the options of one scheme"),
    ),
    "completion": (
        ("hornbeam completion bash > hornbeam.bash", "write the script for bash"),
        ("hornbeam completion zsh", "print the one for zsh"),
    ),
}
