"""The command line. Slow imports are inside the commands, so that help is shown at once.

main: the command ``hornbeam``, its subcommands, and how errors become one line and an exit code.

One module per command:

learn: learn a model, show it and evaluate it.
predict: predict new rows with a saved model.
show: print or draw a saved model.
compare: compare schemes, pruning methods or criteria by cross-validation.
report: write a report on a table as one HTML file.
diff: compare two saved models.
curve: learning curves, ROC curves, calibration and more.
cluster: find clusters of similar rows.
data: describe a table.
audit: how missing values affect the predictions of a saved model.
export: write a saved model for another program, and import a model of another program.
check: compare an exported model with the model it came from.
serve: serve a saved model over HTTP.
completion: print a script for shell completion.
schemes: list the schemes and their parameters.

Shared modules:

options: the class of all commands, groups of options, notes, environment variables.
reading: reading DATA, and the options for it.
scheme_options: options that come from a scheme's list of parameters.
output: printing, progress bars and pictures; scores and the verdict in words.
learn_result: what ``learn`` prints and writes as JSON.
predicting: modules of ``predict`` (a folder).
shell: examples, and shell completion (a folder).
calibration: ``learn --coverage --stability``.
tuning: ``learn --tune``.
scanning: ``learn --engine``, and ``predict`` from folder to folder.
cluster_views: how ``cluster`` shows clusters.
"""
