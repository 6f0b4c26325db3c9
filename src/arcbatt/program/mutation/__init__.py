"""Mutation: small changes of programs that fit where they stand."""
