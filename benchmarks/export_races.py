"""The races of exported models: prediction alone, on one thread."""

from __future__ import annotations

from benchmarks.peer import NAMES, Measurement
from benchmarks.races import Bar, Race, quantity, ratio


def races_of_exports(rows: int) -> list[Race]:
    """A tree, boosting by compilers and runtimes, boosting in a database."""

    def entry(peer: str, task: str) -> Measurement:
        return Measurement(peer, task, "higgs", rows)

    tree, ours_tree = (entry(peer, "export_tree") for peer in ("ours_c", "ours_predict"))
    c, predict = (entry(peer, "export_boost") for peer in ("ours_c", "ours_predict"))
    rivals = [entry(peer, "export_boost") for peer in ("ours_onnx", "tl2cgen", "m2cgen", "ydf_standalone")]
    sql, predict_100 = (entry(peer, "export_sql") for peer in ("ours_sql", "ours_predict"))
    columns = "28 numeric columns, 2 classes, one thread"
    return [
        Race(
            "export-tree",
            f"Prediction by a tree of ten levels, row by row in C (gcc -O3 -march=native): {columns}",
            (tree, ours_tree),
            (Bar("C, time per row", quantity(tree, "row_ns"), "at most", 100, "ns"),),
        ),
        Race(
            "export-boost",
            f"Prediction by boosting, 500 trees with 31 leaves, compiled with -O3 -march=native: {columns}; "
            "tl2cgen and m2cgen write LightGBM's trees",
            (c, predict, *rivals),
            (
                Bar("C, rows per second against predict", ratio(c, predict, "rows_per_second"), "at least", 1),
                *(
                    Bar(
                        f"C, rows per second against {NAMES[rival.peer]}",
                        ratio(c, rival, "rows_per_second"),
                        "at least",
                        1,
                    )
                    for rival in rivals
                ),
            ),
        ),
        Race(
            "export-sql",
            f"Prediction by boosting, 100 trees with 31 leaves, in DuckDB: {columns}",
            (sql, predict_100),
            (Bar("SQL, time against predict (CPU)", ratio(sql, predict_100, "row_ns"), "at most", 20),),
        ),
    ]
