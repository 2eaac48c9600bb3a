"""Learning on NVIDIA GPUs: the same models, bit for bit, as on the processor. Needs CuPy (extra `gpu`).

device: finds the GPU and compiles the kernels; errors that say what is missing.
boost: gradient boosting; takes the place of the compiled kernel for `learn/forests/boost`.

`kernels/` holds CUDA source, which CuPy compiles when it is first needed and keeps on disk.
"""
