"""The backends, a file each, behind the protocol of `engine/backend.py`."""
