"""Learners that predict from kept rows: neighbors, K*, local models, and generalized exemplars.

- lazy: base of learners that keep all rows and can add more with `partial_fit`; prediction in threads
- nearest: `NeighborsClassifier` and `NeighborsRegressor`
- ib: `IB2Classifier`, `IB3Classifier` and `IB5Classifier`, which keep only the rows they need
- kstar: `KStarClassifier`, `KStarRegressor` and `kstar_distance`
- local: `LocallyWeightedClassifier` and `LocallyWeightedRegressor`
- divided: `DividedDistances`: class weights that divide distances
- exemplars: `ExemplarsClassifier`: boxes of rows of one class
- search: search of the nearest rows by a tree, by screening, or by comparing all rows
- screen: candidates for the nearest rows, by distances in single precision
"""
