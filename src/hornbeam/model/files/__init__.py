"""Model files: a zip of JSON and .npy arrays, never pickle.

members: the kinds of models, and the members of the zip, written in one form and read in no other
storage: save and load
written: model files as JSON or as lines of text
"""
