"""`hornbeam audit`: what missing values did to a saved model's predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hornbeam.cli.reading import read_like, reading_options

if TYPE_CHECKING:
    from hornbeam.model.trees.tree import Tree


@click.command(short_help="Tell what missing values do to a saved model's predictions.")
@click.argument("model", metavar="MODEL", type=click.Path())
@click.argument("source", metavar="DATA")
@click.option("--policy", "policies", multiple=True, metavar="NAME", help="Compare with this policy (repeatable).")
@click.option("--train", metavar="DATA", help="Learn the model again from these rows, with every other policy.")
@click.option(
    "--nodes", default=20, show_default=True, type=click.IntRange(min=0), metavar="NUMBER", help="Nodes shown at most."
)
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@reading_options
def audit(
    model: str,
    source: str,
    policies: tuple[str, ...],
    train: str | None,
    nodes: int,
    as_json: bool,
    **reading: Any,  # noqa: ANN401 - click's
) -> None:
    """Tell which way rows of DATA without a value took through the model in the file MODEL.

    The same tree is then asked again with those rows sent other ways: to the branch with most training weight
    (majority), down every branch by its share (fractional), or no further (stop). With --train, and a scheme that has
    several policies, it is learned again with each of them instead.
    """
    from hornbeam.cli.output import write_json
    from hornbeam.evaluate.audit import missing_audit
    from hornbeam.model.files.storage import load
    from hornbeam.model.rules.rule import RuleList
    from hornbeam.model.trees.tree import Tree

    tree = load(model)
    if not isinstance(tree, Tree):
        held = "a list of rules" if isinstance(tree, RuleList) else "no tree"
        msg = f"{model} holds {held}; only a tree's missing values can be audited"
        raise ValueError(msg)  # noqa: TRY004 - a wrong file, not a wrong type in a program
    table = read_like(tree.schema, source, **reading)
    asked = list(policies) or None
    if train is None:
        found = missing_audit(tree, table, asked)
    else:
        lessons = read_like(tree.schema, train, **reading)
        found = missing_audit(_estimator(model, tree), table, asked, train=lessons)
    if as_json:
        write_json(found.to_json())
        return
    click.echo(found.text(nodes))


def _estimator(path: str, tree: Tree) -> Any:  # noqa: ANN401 - estimators share no base of ours
    """Give the estimator that the file says the model was learned by."""
    from hornbeam.model.files.storage import read_provenance
    from hornbeam.schemes import SCHEMES

    provenance = read_provenance(path)
    for scheme in SCHEMES:
        if scheme.estimator == provenance.get("scheme"):
            return scheme.load().from_model(tree, **provenance.get("parameters", {}))
    msg = f"{path} does not say by which scheme it was learned, so it cannot be learned again; leave out --train"
    raise ValueError(msg)
