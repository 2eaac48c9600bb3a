"""What kernels share.

- constants: tolerances and other numbers
- crew: a crew of threads for a whole fit
- exp: exp as plain arithmetic, in double and single precision
- interrupt: Ctrl-C and abandoned work, polled by kernels
- logarithm: log2 by a table
- memory: large pages, and reading ahead
- random: counter-based random numbers
- share: comparing proportions without rounding
- simd: loops that are compiled twice, with and without AVX2
- sort: a stable merge sort, and one in place
- sparse_rows: checks of sparse rows
- threads: a pool of threads that can be stopped
"""
