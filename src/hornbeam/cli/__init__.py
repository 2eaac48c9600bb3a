"""The command line. Everything heavy is imported inside the commands, so that help is shown at once.

main: the command ``hornbeam``, its subcommands, and how errors become one line and an exit code.

One module per command:

learn: learn a model, show it and evaluate it.
predict: predict new rows with a saved model.
show: print or draw a saved model.
compare: compare schemes, pruning methods or criteria by cross-validation.
report: write a report on a table as one HTML file.
diff: compare two saved models.
curve: learning curves, ROC curves, calibration and the like.
cluster: find clusters of similar rows.
data: describe a table.
audit: how missing values affect the predictions of a saved model.
export: write a saved model for another program, and make a model of another program a model file.
check: compare an exported model with the model it came from.
serve: serve a saved model over HTTP.
completion: print a script with which a shell completes commands.
schemes: list the schemes and their parameters.

What they are made of:

options: what commands share: their class, groups of options, notes, settings by environment.
reading: reading DATA, and the options for it.
scheme_options: options that come from a scheme's list of parameters.
output: printing, progress bars and pictures; scores and the verdict in words.
learn_result: what ``learn`` prints and writes as JSON.
predicting: what ``predict`` is made of (a folder).
shell: examples, and what a shell completes (a folder).
calibration: ``learn --coverage --stability``.
tuning: ``learn --tune``.
scanning: ``learn --engine``, and ``predict`` from folder to folder.
cluster_views: how ``cluster`` shows clusters.
"""
