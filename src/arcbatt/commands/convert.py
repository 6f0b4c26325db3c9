"""`arcbatt convert`: programs of any form as functions, as one-liners or as a batt of some style."""

import sys
from typing import Annotated

from typer import Argument, Context, Option

from arcbatt.commands import DONE, NOTHING_DONE, SOME_REFUSED, options
from arcbatt.commands.inputs import Refusals, program_files, read_batt
from arcbatt.commands.outputs import require_output
from arcbatt.files import whole_file
from arcbatt.gc_pause import gc_paused
from arcbatt.notices import tell
from arcbatt.program.forms.conversion import FORMS, converted
from arcbatt.text import plural


def execute(
    context: Context,
    programs: Annotated[
        list[str],
        Argument(
            metavar="FILE",
            help="A file of solvers, a batt of any style, a .def file of one-liners, or a folder of such "
            "files; the word library names the library that comes with arcbatt.",
        ),
    ],
    form: Annotated[
        str,
        options.choice("--to", FORMS, "What to write: functions, one expression each, or a batt of a style."),
    ],
    out: Annotated[
        str, Option("-o", "--out", metavar="OUT", help="The file to write; - is standard output.")
    ] = "-",
    strict: options.Strict = False,
) -> int:
    """Write the programs of a file in another form; each stays the same program.

    solvers: functions as arc-dsl has them, one op a line. one-liners: one line for each program, `def
    solve_x(S, I, C): return hconcat(trim(I), trim(I))`, as .def files hold them. All other forms are the
    styles of batts, see `card`; there a batt keeps its lines.

    Examples:

      arcbatt convert batt.py --to solvers -o solvers.py

      arcbatt convert solver_dir --to one-liners -o all.def

      arcbatt convert all.def --to pile -o batt.py

    Exit code: 0 all is written; 1 it is, without programs that were refused or have no such form; 2 nothing
    is written.
    """
    refused = Refusals(strict)
    files = program_files(programs)
    require_output(out, [*files, *context.obj])
    with gc_paused():
        batt = read_batt(files, refused)
        if not batt.programs:
            return NOTHING_DONE
        made = converted(batt, form)
    for reason in made.left_out:
        tell(f"left out: {reason}")
    with whole_file(out) as file:
        file.write(made.text)
    said = f"{out}: {plural(made.programs, 'program')} as {form}"
    print(said, file=sys.stderr if out == "-" else sys.stdout)
    return SOME_REFUSED if refused.count or made.left_out else DONE
