"""Numbers in sentences."""


def plural(count: int, noun: str) -> str:
    """A number of things.

    >>> plural(1, "task"), plural(1200, "task")
    ('1 task', '1,200 tasks')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
