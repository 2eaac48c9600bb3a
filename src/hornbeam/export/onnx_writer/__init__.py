"""The format ``onnx``: a model as an ONNX graph of double-precision operators.

- file: its entry function: the inputs, the outputs, the decision rule.
- graph: operators and constants of a graph.
- routes: trees as the operator TreeEnsemble, which finds the leaf of every row.
- trees: trees and forests.
- rules: rules, and equations.
- mixtures: mixtures of distributions.
- models: other models: ensembles, intervals, support vector machines, clusters.
"""
