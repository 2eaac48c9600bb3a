"""Model files: a zip of JSON and .npy arrays, never pickle."""
