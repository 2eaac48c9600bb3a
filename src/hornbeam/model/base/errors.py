"""What can be wrong with a model or with the rows given to it."""

from __future__ import annotations


class ModelError(ValueError):
    """A model contradicts itself: its arrays do not make a tree, or its rules name columns that are not there."""


class ModelFileError(ModelError):
    """A file is not a model file, is damaged, or holds a model that contradicts itself."""


class UnseenCategoryWarning(UserWarning):
    """Rows to be predicted have categories that the model never saw; they are read as missing."""
