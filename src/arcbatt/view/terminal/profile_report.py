"""The report of `profile`: the ops, the slowest nodes, and what merging, staging and sharing save."""

from collections.abc import Iterator

from rich.text import Text

from arcbatt.engine.profile.costs import Cost, total
from arcbatt.engine.profile.profile import LineCounts, Profile
from arcbatt.text import plural
from arcbatt.view.tables import Column, hanging, table
from arcbatt.view.terminal.run_report import failure_counts

NAME_COLUMN = 10  # the column where the sentences on savings begin
MOST_LEFT = 5  # ops named whose elements ran one by one
FIGURES = [Column(title, right=True) for title in ("runs", "skipped", "failed", "ms", "share", "us a run")]


def page(profile: Profile, top: int, width: int | None) -> Iterator[Text]:
    """A profile as lines: `top` ops and as many nodes, in a terminal of that width."""
    yield from map(Text, headlines(profile))
    yield Text()
    yield from op_table(profile, top, width)
    yield Text()
    yield from node_table(profile, top, width)
    yield Text()
    yield from savings(profile, width)


def headlines(profile: Profile) -> Iterator[str]:
    """The size of the work, the settings and the total cost."""
    cost = profile.cost
    yield (
        f"{plural(profile.programs, 'program')}, {plural(len(profile.nodes), 'node')} on "
        f"{plural(profile.tasks, 'task')}, {plural(profile.samples, 'sample')}; pairs {profile.pairs}, "
        f"on failure {profile.on_failure}, backend {profile.backend} ({profile.why}), 1 thread"
    )
    yield (
        f"{plural(cost.runs, 'run')} of nodes, {cost.skipped:,} skipped since an argument had failed, "
        f"{cost.failed:,} failed; {milliseconds(cost.seconds)}, "
        f"without {profile.clock_seconds * 1e9:.0f} ns a run for the clock"
    )


def op_table(profile: Profile, top: int, width: int | None) -> Iterator[Text]:
    """A line for each of the most expensive ops, one for the others, and one for all together."""
    columns = [Column("op"), Column("nodes", right=True), *FIGURES, Column("failures", folds=True)]
    ops = profile.ops
    rows = [(op.name, op.nodes, op.cost) for op in ops[:top]]
    if len(ops) > top:
        others = ops[top:]
        nodes = sum(op.nodes for op in others)
        rows.append((plural(len(others), "more op"), nodes, total(op.cost for op in others)))
    rows.append(("all", len(profile.nodes), profile.cost))
    cells = [
        [name, f"{nodes:,}", *_figures(profile, cost), failure_counts(cost.failures)]
        for name, nodes, cost in rows
    ]
    return table(columns, [list(map(Text, row)) for row in cells], width)


def node_table(profile: Profile, top: int, width: int | None) -> Iterator[Text]:
    """A line for each of the most expensive nodes."""
    columns = [*FIGURES, Column("slowest nodes", folds=True)]
    cells = [[*_figures(profile, cost), expression] for expression, cost in profile.slowest(top)]
    return table(columns, [list(map(Text, row)) for row in cells], width)


def _figures(profile: Profile, cost: Cost) -> list[str]:
    return [
        f"{cost.runs:,}",
        f"{cost.skipped:,}",
        f"{cost.failed:,}",
        f"{cost.seconds * 1e3:,.3f}",
        percent(profile.share(cost)),
        f"{cost.seconds_per_run * 1e6:,.3f}",
    ]


def percent(share: float) -> str:
    """A share as text.

    >>> percent(0.256)
    '25.6 %'
    """
    return f"{100 * share:.1f} %"


def savings(profile: Profile, width: int | None) -> Iterator[Text]:
    """A sentence on each way to save work: those in use, and sharing by value, which is not in use."""
    sentences = {
        "merging": _merging(profile),
        "staging": _staging(profile),
        "columns": _columns(profile),
        "by value": _sharing(profile),
    }
    if profile.lines is not None:
        sentences["lines"] = _lines(profile.lines)
    for name, sentence in sentences.items():
        yield from hanging(Text(name, "bold"), sentence, NAME_COLUMN, width)


def milliseconds(seconds: float) -> str:
    """A time as text.

    >>> milliseconds(1.25)
    '1,250.000 ms'
    """
    return f"{seconds * 1e3:,.3f} ms"


def _merging(profile: Profile) -> str:
    found, samples = profile.merging, profile.samples
    return (
        f"{plural(found.nodes_alone, 'node')} in the programs alone, {found.nodes:,} in the merged graph; "
        f"runs and skips: {found.turns_alone:,} alone ({_per_sample(found.turns_alone, samples)}), "
        f"{found.turns:,} merged ({_per_sample(found.turns, samples)}), which saves "
        f"{_saved(found.turns_alone, found.turns)} of them, about {milliseconds(found.seconds)}"
    )


def _per_sample(turns: int, samples: int) -> str:
    return f"{turns / samples if samples else 0:,.1f} a sample"


def _saved(before: int, after: int) -> str:
    return percent(1 - after / before if before else 0.0)


def _staging(profile: Profile) -> str:
    found = profile.staging
    if profile.on_failure == "pile":
        return "saves nothing: the lines of a pile run one after the other on every sample"
    return (
        f"runs and skips: {found.turns_unstaged:,} if every node ran on every sample, {found.turns:,} with "
        "constants once and what needs S alone once a task, which saves "
        f"{_saved(found.turns_unstaged, found.turns)} of them, about {milliseconds(found.seconds)}"
    )


def _columns(profile: Profile) -> str:
    elements = profile.cost.elements
    if not elements.count:
        return "functions were applied to no elements that were counted"
    left = {op.name: op.cost.elements.count - op.cost.elements.in_columns for op in profile.ops}
    most = sorted((name for name in left if left[name]), key=lambda name: -left[name])[:MOST_LEFT]
    rest = ", ".join(f"{name} {left[name]:,}" for name in most)
    return (
        f"functions were applied to {plural(elements.count, 'element')}, {elements.in_columns:,} "
        f"({percent(elements.share)}) in columns, all elements of a container at once"
        + (f"; one by one: {rest}" if rest else "")
    )


def _sharing(profile: Profile) -> str:
    found = profile.sharing
    return (
        f"of {plural(found.runs, 'run')} on {plural(found.samples, 'sample')}, {found.repeats:,} have the op "
        "and the argument values of another one of their sample; the engine shares equal expressions, not "
        f"equal values: that would save {_saved(found.runs, found.runs - found.repeats)} of the runs, about "
        f"{milliseconds(profile.seconds_by_sharing)}, less what it costs to find them"
    )


def _lines(found: LineCounts) -> str:
    what = "all of them run, since each may fail" if found.all_run else "these do not run"
    return (
        f"of {plural(found.lines, 'line')} in the file, {found.unneeded:,} are needed by no output and "
        f"{found.repeated:,} repeat another one: {what}"
    )
