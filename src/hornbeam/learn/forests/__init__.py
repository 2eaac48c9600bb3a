"""Many trees together: bagging, random forests, gradient boosting, and ways back to one readable model."""
