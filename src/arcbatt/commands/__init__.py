"""The command line: `main` reads it, and each command is a module here, imported when it is asked for.

The module of a command is named after it, and has one function `execute`: its parameters are the arguments
and options, its docstring is the help, and its result is the exit code, where None means `DONE`. A command of
several actions has such functions in `ACTIONS`, by name.
"""

from arcbatt.notices import tell
from arcbatt.signals import interrupted_code

# The commands by what they are for, in the order of the help.
GROUPS = {
    "Everyday commands": {
        "run": "Run programs on tasks and say which tasks are solved.",
        "solve": "Find programs for tasks that nobody has a program for.",
        "evolve": "Breed programs on tasks until some solve them.",
        "trace": "Trace a program on a sample, line by line, to where it goes wrong.",
        "report": "Make one HTML page of results: tasks, programs, outputs, failures.",
        "submit": "Make a Kaggle submission of programs, or check one.",
    },
    "Looking things up": {
        "show": "Draw tasks, and what a program makes of them.",
        "ops": "Show the language: every op, or one in full.",
        "archive": "Ask, exchange, merge and check archives of programs and results.",
        "profile": "Show where the time of a batt or of programs goes.",
    },
    "Batts, files of many programs merged": {
        "card": "Make a batt file: choose, mutate and merge programs.",
        "run-batt": "Run a batt file on tasks and score its outputs.",
        "breed": "Do both round after round, and keep the best solvers of each task.",
    },
    "Files of programs": {
        "convert": "Write programs in another form: functions, one-liners, batts.",
        "simplify": "Shorten the programs of a file, and prove that they do the same.",
        "folder": "Check, prune and count a folder of kept solvers.",
    },
    "Tools of maintainers": {
        "fuzz": "Compare two backends on random programs.",
        "bench": "Measure how fast the engine is on this machine.",
        "gpu": "Show the GPUs, and whether they can be used.",
    },
}
COMMANDS = {name: sentence for group in GROUPS.values() for name, sentence in group.items()}

DONE, SOME_REFUSED, NOTHING_DONE, PIPE_CLOSED = 0, 1, 2, 141


def interrupted() -> int:
    """Say that the report is not complete; the exit code of an interrupted command."""
    tell("interrupted; this is what was done by then")
    return interrupted_code()
