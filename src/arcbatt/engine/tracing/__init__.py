"""Traces: a program on one sample, statement by statement, down to the application that failed."""
