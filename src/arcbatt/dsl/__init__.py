"""The language: values, types, constants and ops."""
