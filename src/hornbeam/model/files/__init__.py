"""Model files: a zip archive of JSON and .npy arrays, without pickle.

members: the kinds of models, and the members of the archive
storage: save and load
written: model files as JSON or as lines of text
"""
