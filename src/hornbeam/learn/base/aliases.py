"""Other names that are accepted for parameters and their values: those of scikit-learn, LightGBM and XGBoost.

Parameters have scikit-learn's names where they mean the same. Where other libraries use other names for the same
thing, or scikit-learn has two, this table has the others. An alias can be given to the constructor and to `set_params`;
`get_params` lists the parameter under its own name only.
"""

from __future__ import annotations

from typing import Any

# By class (also of base classes): other names of parameters.
PARAMETERS: dict[str, dict[str, str]] = {
    "GradientBoosting": {
        "max_iter": "n_estimators",
        "num_leaves": "max_leaf_nodes",
        "min_child_samples": "min_samples_leaf",
        "min_split_gain": "min_gain",
        "reg_alpha": "l1_regularization",
        "reg_lambda": "l2_regularization",
        "monotone": "monotonic_cst",  # in older model files
    },
    "OpenTree": {"monotone": "monotonic_cst"},  # in older model files
    "HierarchicalClustering": {"distance_threshold": "height"},
    "SpectralClustering": {"affinity": "graph"},
    "MixtureModel": {"init_params": "init", "n_clusters": "n_components"},
}

# By parameter: names that mean the same. A learner takes the one that it knows.
VALUES: dict[str, tuple[tuple[str, ...], ...]] = {
    "criterion": (
        ("entropy", "information-gain", "log_loss"),
        ("variance", "squared_error"),
        ("absolute-error", "absolute_error"),
    ),
    "loss": (("auto", "log_loss"), ("squared", "squared_error"), ("absolute", "absolute_error")),
    "weights": (("inverse", "distance"),),
    "algorithm": (("kd-tree", "kd_tree"), ("ball-tree", "ball_tree")),
    "kernel": (("polynomial", "poly"),),
    "covariance_type": (("diagonal", "diag"),),
    "graph": (("neighbors", "nearest_neighbors"),),
    "init": (("k-means", "kmeans"),),
}


def aliases_of(cls: type[Any]) -> dict[str, str]:
    """Other names of the parameters of an estimator.

    Examples
    --------
    >>> from hornbeam import SpectralClustering
    >>> aliases_of(SpectralClustering)
    {'affinity': 'graph'}
    """
    return {alias: name for base in cls.__mro__ for alias, name in PARAMETERS.get(base.__name__, {}).items()}


def own_names(cls: type[Any], given: dict[str, Any]) -> dict[str, Any]:
    """Give parameters their own names; an alias together with its parameter is an error."""
    aliases = aliases_of(cls)
    named: dict[str, Any] = {}
    for name, value in given.items():
        own = aliases.get(name, name)
        if own in named:
            other = next(alias for alias in given if aliases.get(alias, alias) == own)
            msg = f"{cls.__name__} got both {other} and {name}, which are the same parameter; expected one of them"
            raise TypeError(msg)
        named[own] = value
    return named


def own_value(name: str, value: Any, allowed: tuple[Any, ...]) -> str | None:
    """The allowed value that means the same as this one; None if there is none.

    Examples
    --------
    >>> own_value("criterion", "entropy", ("gini", "information-gain"))
    'information-gain'
    """
    same = next((names for names in VALUES.get(name, ()) if isinstance(value, str) and value in names), ())
    return next((known for known in same if known in allowed), None)


def with_aliases(name: str, allowed: tuple[Any, ...]) -> str:
    """The allowed values in words, each with the others that mean the same.

    Examples
    --------
    >>> with_aliases("weights", ("uniform", "inverse"))
    "'uniform', 'inverse' (or 'distance')"
    """
    groups = VALUES.get(name, ())
    words = []
    for value in allowed:
        same = next((names for names in groups if isinstance(value, str) and value in names), ())
        others = [repr(other) for other in same if other not in allowed]
        words.append(f"{value!r} (or {', '.join(others)})" if others else repr(value))
    return ", ".join(words)
