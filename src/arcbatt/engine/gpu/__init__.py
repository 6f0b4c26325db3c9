"""GPUs, real and emulated: kernels, batches, lines, and when they are worth it."""
