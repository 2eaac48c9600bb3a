"""What kernels share: memory, threads, random numbers, interruption, exp and log."""
