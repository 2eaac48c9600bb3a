"""`hornbeam audit`: how missing values affect the predictions of a saved model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hornbeam.cli.options import Command, count_option, json_option
from hornbeam.cli.reading import read_like, reading_options

if TYPE_CHECKING:
    from hornbeam.model.trees.tree import Tree


@click.command(cls=Command, short_help="Show how missing values affect a saved model's predictions.")
@click.argument("model", metavar="MODEL", type=click.Path())
@click.argument("source", metavar="DATA")
@click.option("--policy", "policies", multiple=True, metavar="NAME", help="Compare with this policy (repeatable).")
@click.option("--train", metavar="DATA", help="Learn the model again from these rows with every other policy.")
@count_option("--nodes", "NUMBER", "Maximum number of nodes to list.", least=0, default=20)
@json_option
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
    """Report which branches the rows of DATA with missing values took in the tree in the file MODEL.

    The same tree then predicts these rows with other policies: follow the branch with most training weight (majority),
    follow every branch by its fraction of the weight (fractional), or stop at the node (stop). With --train, and a
    scheme that has several policies, the tree is learned again with each of them instead.
    """
    from hornbeam.cli.output import write_json
    from hornbeam.evaluate.audit import missing_audit
    from hornbeam.model.files.storage import load
    from hornbeam.model.rules.rule import RuleList
    from hornbeam.model.trees.tree import Tree

    tree = load(model)
    if not isinstance(tree, Tree):
        kind = "a list of rules" if isinstance(tree, RuleList) else "another model"
        msg = f"{model} contains {kind}; the audit works only for trees"
        raise ValueError(msg)  # noqa: TRY004 - a wrong file, not a wrong type in a program
    table = read_like(tree.schema, source, **reading)
    others = list(policies) or None
    if train is None:
        audited = missing_audit(tree, table, others)
    else:
        rows = read_like(tree.schema, train, **reading)
        audited = missing_audit(_estimator(model, tree), table, others, train=rows)
    if as_json:
        write_json(audited.to_json())
        return
    click.echo(audited.text(nodes))


def _estimator(path: str, tree: Tree) -> Any:  # noqa: ANN401 - estimators share no base of ours
    """Return the estimator of the model, as recorded in the file."""
    from hornbeam.model.files.storage import read_provenance
    from hornbeam.schemes import SCHEMES

    provenance = read_provenance(path)
    for scheme in SCHEMES:
        if scheme.estimator == provenance.get("scheme"):
            return scheme.load().from_model(tree, **provenance.get("parameters", {}))
    msg = f"{path} does not record the scheme of the model, so it cannot be learned again; leave out --train"
    raise ValueError(msg)
