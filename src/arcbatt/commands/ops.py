"""`arcbatt ops`: the language on one page, or one of its names in full."""

import json
from typing import Annotated

from typer import Argument, Option

from arcbatt.view import language
from arcbatt.view.screen import Screen


def execute(
    name: Annotated[
        str | None, Argument(metavar="NAME", help="An op, constant, input, type, kind of failure or group.")
    ] = None,
    group: Annotated[str | None, Option(metavar="GROUP", help="Only the ops of this group.")] = None,
    as_json: Annotated[bool, Option("--json", help="The op table as JSON, one op a line.")] = False,
) -> None:
    """Show the language on one page, or one of its names in full.

    Ops are the operations that programs are made of. `arcbatt ops fill` tells what `fill` takes, gives and
    costs, with an example.
    """
    if as_json:
        for record in language.records(name, group):
            print(json.dumps(language.as_json(record)))
        return
    screen = Screen()
    screen.print(language.explain(name, screen.width) if name else language.page(group, screen.width))
