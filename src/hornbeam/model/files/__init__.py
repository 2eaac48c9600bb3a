"""Model files: a zip of JSON and .npy arrays, never pickle.

kinds: the kinds of models, and their classes
members: the members of the zip, written in one form and read in no other
storage: save and load
"""
