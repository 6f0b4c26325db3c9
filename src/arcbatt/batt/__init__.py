"""Batts: their files, their making, their running on many samples, and the processes that run them."""
