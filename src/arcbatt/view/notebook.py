"""Objects as HTML for notebooks: which function renders which class."""

from importlib import import_module

from arcbatt.view.html import element, escape, fragment

# The function, in its module below `arcbatt.view`, by the name of the class. A module is imported when an
# object of its class is first shown.
RENDERERS = {
    "Task": "fragments.tasks.task",
    "TaskSet": "fragments.tasks.task_set",
    "Sample": "fragments.tasks.sample",
    "Program": "fragments.programs.program",
    "Outcome": "fragments.results.outcome",
    "Results": "fragments.results.results",
    "Trace": "fragments.traces.trace",
    "Archive": "fragments.archives.archive",
    "Answer": "fragments.searches.answer",
    "TaskAnswers": "fragments.searches.task_answers",
    "Solution": "fragments.searches.solution",
    "BestProgram": "fragments.searches.best_program",
    "Evolution": "fragments.searches.evolution",
}
LONGEST = 2_000  # characters of the repr of an object that has no function


def html_of(thing: object) -> str:
    """An object as a fragment of HTML with its style; one of an unknown class as its repr.

    >>> print(html_of(load_tasks("00d62c1b")[0]).count("<svg"))
    12
    >>> html_of(7).endswith("<pre>7</pre></div>")
    True
    """
    for kind in type(thing).__mro__:
        if kind.__name__ in RENDERERS:
            module, _, function = RENDERERS[kind.__name__].rpartition(".")
            body: str = getattr(import_module(f"arcbatt.view.{module}"), function)(thing)
            return fragment(body)
    return fragment(element("pre", escape(repr(thing)[:LONGEST])))
