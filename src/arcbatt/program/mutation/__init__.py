"""Mutation: small changes of programs after which all types still fit."""
