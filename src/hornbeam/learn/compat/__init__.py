"""What is needed only to reproduce other programs.

- weka: WEKA's random numbers, shuffles, folds and sort orders, and a base of learners that ignore row weights
"""
