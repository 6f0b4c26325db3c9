"""Numbers, names and foreign text in messages."""


def plural(count: int, noun: str) -> str:
    """A count with its noun, in the plural if necessary.

    >>> plural(1, "task"), plural(1200, "task"), plural(2, "process")
    ('1 task', '1,200 tasks', '2 processes')
    """
    ending = "es" if noun.endswith("s") else "s"
    return f"{count:,} {noun}{'' if count == 1 else ending}"


def a_noun(noun: str) -> str:
    """A noun, or a phrase that begins with one, with its article; a plural has none.

    >>> a_noun("task"), a_noun("id of a task"), a_noun("limits")
    ('a task', 'an id of a task', 'limits')
    """
    if noun.split(maxsplit=1)[0].endswith("s"):
        return noun
    return f"{'an' if noun[0] in 'aeio' else 'a'} {noun}"


def solved_in_words(pairs: int, solved: int, tasks: int) -> str:
    """How many of some tasks are solved, and by how many pairs of a program and a task, if that differs.

    >>> solved_in_words(3, 3, 5), solved_in_words(373, 311, 400)
    ('3 of 5 tasks solved', '373 pairs of program and task solve 311 of 400 tasks')
    """
    if pairs == solved:
        return f"{solved:,} of {plural(tasks, 'task')} solved"
    return f"{pairs:,} pairs of program and task solve {solved:,} of {plural(tasks, 'task')}"


def printable(text: str) -> str:
    """A text with its line breaks and control characters escaped.

    >>> printable("a\\nb"), printable("\\x1b[2J")
    ('a\\\\nb', '\\\\x1b[2J')
    """
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)


def shorten(text: str) -> str:
    """A foreign text, shortened and escaped for a one-line message.

    >>> shorten("two\\nlines")
    "'two\\\\nlines'"
    """
    if len(text) > 80:
        text = text[:77] + "..."
    return text if text.isprintable() and text.strip() else repr(text)
