"""Rule learners: separate and conquer, and rules read off trees; each estimator is its choices."""
