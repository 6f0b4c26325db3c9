"""Numbers in sentences."""


def plural(count: int, noun: str) -> str:
    """A number of things.

    >>> plural(1, "task"), plural(1200, "task"), plural(2, "process")
    ('1 task', '1,200 tasks', '2 processes')
    """
    ending = "es" if noun.endswith("s") else "s"
    return f"{count:,} {noun}{'' if count == 1 else ending}"
