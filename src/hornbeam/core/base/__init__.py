"""Code that all kernels share.

- arrays: types of arrays, for annotations
- crew: a crew of threads for a whole fit
- enums: enumerations that kernels and Python share
- exp: exp as plain arithmetic, in double and single precision
- interrupt: Ctrl-C and canceled work, polled by kernels
- logarithm: log2 by a table
- memory: large pages, blocks that are freed together, and reading ahead
- random: counter-based random numbers
- simd: loops that are compiled twice, with and without AVX2
- sparse_rows: checks of sparse rows
- threads: a pool of threads that can be stopped
- tolerance: tolerances that kernels and Python share
"""
