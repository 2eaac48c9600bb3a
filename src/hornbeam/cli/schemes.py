"""`hornbeam schemes`: list the schemes and their parameters."""

from __future__ import annotations

from typing import Any

import click

from hornbeam.cli.options import Command, json_option
from hornbeam.cli.scheme_options import NONE, REPEATABLE, default_text
from hornbeam.schemes import ALL_SCHEMES, Parameter, Scheme, named
from hornbeam.schemes.clusters import CLUSTER_SCHEMES
from hornbeam.schemes.forests import FOREST_SCHEMES
from hornbeam.schemes.linear import LINEAR_SCHEMES
from hornbeam.schemes.neighbors import NEIGHBOR_SCHEMES
from hornbeam.schemes.rules import RULE_SCHEMES
from hornbeam.schemes.scheme import Range, describe
from hornbeam.schemes.svm import SVM_SCHEMES
from hornbeam.schemes.trees import TREE_SCHEMES

# The schemes of each family, and those that are listed first, in order of use.
FAMILIES: dict[str, tuple[tuple[Scheme, ...], tuple[str, ...]]] = {
    "Trees": (TREE_SCHEMES, ("c45", "cart", "tree", "id3", "m5")),
    "Rules": (
        RULE_SCHEMES,
        ("ripper", "part", "one-r", "c45rules", "prism", "induct", "irep", "exceptions", "m5-rules"),
    ),
    "Linear models": (LINEAR_SCHEMES, ("linear",)),
    "Forests and boosting": (FOREST_SCHEMES, ("forest", "boosting")),
    "Neighbors": (NEIGHBOR_SCHEMES, ("neighbors", "kstar", "locally-weighted", "exemplars")),
    "Support vector machines": (SVM_SCHEMES, ()),
    "Clusters (hornbeam cluster)": (CLUSTER_SCHEMES, ("k-means", "em", "hierarchical", "spectral")),
}
PREDICTS = {"category": "classes", "number": "numbers", "cluster": "clusters"}
MOST_PREDICTS = len("classes and numbers")


@click.command(cls=Command, short_help="List the schemes and their parameters.")
@click.argument("name", required=False)
@json_option
def schemes(name: str | None, as_json: bool) -> None:
    """List the schemes, or the parameters of the scheme NAME."""
    try:
        listed = ALL_SCHEMES if name is None else named(name)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None
    if as_json:
        from hornbeam.cli.output import write_json

        write_json([_plain(scheme) for scheme in listed])
    elif name is None:
        _list()
    else:
        for index, scheme in enumerate(listed):
            if index:
                click.echo()
            _describe(scheme)


def _list() -> None:
    """Print the schemes by family, those that are used first at the top, each once."""
    wide = max(len(scheme.name) for scheme in ALL_SCHEMES)
    for title, (family, first) in FAMILIES.items():
        click.secho(f"{title}:", bold=True)
        for one in dict.fromkeys((*first, *(scheme.name for scheme in family))):
            found = named(one)
            predicts = " and ".join(PREDICTS[scheme.predicts] for scheme in found)
            said = f"{found[0].title}: {found[0].summary}"
            click.echo(f"  {click.style(one.ljust(wide), bold=True)}  {predicts.ljust(MOST_PREDICTS)}  {said}")
        click.echo()
    click.echo("hornbeam schemes NAME lists a scheme's parameters; hornbeam learn DATA --scheme NAME uses it.")


def _describe(scheme: Scheme) -> None:
    click.echo(f"{click.style(scheme.name, bold=True)}  {scheme.title}: {scheme.summary}")
    click.echo(f"In Python: hornbeam.{scheme.estimator}\n")
    width = max(len(parameter.option or "") for parameter in scheme.parameters)
    for parameter in scheme.parameters:
        if parameter.option is not None:
            values = [NONE if choice is None else str(choice) for choice in parameter.choices]
            default = default_text(parameter.default)
            if parameter.kind == "switch":
                off, on = f"--no-{parameter.option[2:]}", parameter.option
                default = f"on; {off} turns it off" if parameter.default else f"off; {on} turns it on"
            choices = f" ({' | '.join(values)})" if values else ""
            if parameter.kind in REPEATABLE:
                choices = f" ({REPEATABLE[parameter.kind][1]})"
            tuned = f" [--tune: {describe(parameter.search)}]" if isinstance(parameter.search, Range) else ""
            click.echo(f"  {parameter.option.ljust(width)}  {parameter.summary}{choices} [{default}]{tuned}")


def _plain(scheme: Scheme) -> dict[str, Any]:
    return {
        "name": scheme.name,
        "title": scheme.title,
        "estimator": scheme.estimator,
        "summary": scheme.summary,
        "predicts": scheme.predicts,
        "parameters": [
            {
                "name": p.name,
                "default": p.default,
                "kind": p.kind,
                "choices": list(p.choices),
                "summary": p.summary,
                "option": p.option,
                "search": _searched(p),
            }
            for p in scheme.parameters
        ],
    }


def _searched(parameter: Parameter) -> Any:  # noqa: ANN401 - plain data
    """Return the values that `--tune` tries: a range, a list of choices, or nothing."""
    search = parameter.search
    if not isinstance(search, Range):
        return None if search is None else list(search)
    return {"low": search.low, "high": search.high, "scale": search.scale, "steps": search.steps}
