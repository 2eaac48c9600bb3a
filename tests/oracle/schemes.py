"""Which schemes of which program the evidence has answers of, in the order of the table of `make oracle`."""

from __future__ import annotations

PROGRAMS: dict[str, tuple[str, ...]] = {
    "WEKA 3.6.14": (
        *("J48", "J48-U", "J48-R", "J48-B", "J48-S", "J48-M5-C0.1", "Id3"),
        *("PART", "PART-U", "PART-B", "JRip", "JRip-P", "JRip-O0", "OneR", "Prism", "Ridor"),
        *("M5P", "M5P-N", "M5P-R", "M5Rules", "LinearRegression"),
        *("IB1", "IBk-5", "KStar", "LWL", "NNge", "SMO", "SMO-RBF"),
        *("REPTree", "SimpleCart", "DecisionStump", "Bagging-REPTree", "RandomForest-100"),
        *("Cobweb", "SimpleKMeans-2", "SimpleKMeans-3", "EM-2", "EM-3"),
    ),
    "WEKA 3.9.7": (
        *("w39-J48", "w39-J48-noMDL", "w39-J48-U-O-noMDL", "w39-PART", "w39-PART-noMDL", "w39-JRip", "w39-EM-3"),
    ),
    "rpart 4.1.19": ("rpart", "rpart-information", "rpart-full"),
    "R 4.2.2": ("hclust-single", "hclust-complete", "hclust-average", "hclust-ward.D2"),
}


def program_of(scheme: str) -> str:
    """The program that has a scheme."""
    return next(program for program, schemes in PROGRAMS.items() if scheme in schemes)
