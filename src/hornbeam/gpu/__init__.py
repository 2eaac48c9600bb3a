"""Learning on NVIDIA GPUs: the same models, bit for bit, as without one. Needs CuPy (extra `gpu`).

device    finding the GPU, compiling the kernels, and errors that say what is missing
boost     gradient boosting: the class that `learn/forests/boost` uses instead of the compiled kernel

The kernels are in `kernels/`, as CUDA source that CuPy compiles when it is first needed and keeps on disk.
"""
