"""Enumeration: templates are filled, level by level of cost, until what they give explains a task."""
