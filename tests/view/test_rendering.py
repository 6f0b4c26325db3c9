"""Objects in a notebook: what each shows, hostile names, bounds, and what is shown when a rendering fails."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings

import arcbatt as ab
from arcbatt.engine.choose import AVAILABLE
from arcbatt.program.graph import Program
from arcbatt.tasks import Task
from arcbatt.view import notebook
from arcbatt.view.html import STYLE, fragment
from arcbatt.view.notebook import RENDERERS, html_of
from support.strategies import programs as random_programs

HOSTILE = "<script>alert('1')</script>\"&\u2028"
SOURCE = """
def right(I): return hmirror(I)
def wrong(I): return vmirror(I)
def number(I): return size(I)
def fails(I): return divide(size(I), ZERO)
"""
TAGS = {
    *("div", "p", "b", "pre", "code", "abbr", "span", "svg", "path", "text", "g", "figure", "figcaption"),
    *("table", "thead", "tbody", "tr", "th", "td", "ul", "li"),
}
GRID = ((1, 2), (3, 4))
MIRRORED = ((3, 4), (1, 2))

needs_core = pytest.mark.skipif("native" not in AVAILABLE, reason="the compiled core is not installed")


def task(name: str = "mirror") -> Task:
    """A task of one demo and two test samples; one output is not known."""
    pair = ab.Sample(GRID, MIRRORED)
    return ab.Task(name, demo=(pair,), test=(pair, ab.Sample(GRID, None)))


def named(program: Program, name: str) -> Program:
    return program.altered(name=name)


@pytest.fixture
def hostile(tmp_path: Path) -> Iterator[list[Any]]:
    """One object of each class that notebooks show, with hostile names wherever there is a name."""
    odd = task(HOSTILE)
    programs = [named(program, HOSTILE + program.name) for program in ab.parse_programs(SOURCE)]
    results = ab.run(programs, odd, "all")
    evolution = ab.evolve(odd, programs[1:2], steps=50, workers=1)
    with ab.Archive(tmp_path / "<script>.db") as archive:
        archive.add(results)
        solution = ab.solve(odd, steps=2_000, library=False)
        yield [
            odd,
            odd.demo[0],
            ab.TaskSet((odd,), HOSTILE),
            programs[0],
            results,
            results[programs[2], odd],
            ab.trace(programs[-1], odd),
            archive,
            solution,
            solution[odd],
            solution.answers[0],
            evolution,
            evolution.best[odd.id],
        ]


@needs_core
def test_hostile_names_are_text_in_every_rendering(hostile: list[Any]) -> None:
    assert {type(thing).__name__ for thing in hostile} == set(RENDERERS)
    for thing in hostile:
        html = html_of(thing)
        html.encode()
        assert "<script" not in html
        body = html.replace(STYLE, "")
        tags = {part.tag.rpartition("}")[2] for part in ET.fromstring(body).iter()}
        assert tags <= TAGS


def test_lone_surrogates_in_names_can_be_written_to_a_page() -> None:
    odd = task("\ud800")
    program = named(ab.parse_programs(SOURCE)[1], "\udfff")
    results = ab.run([program], odd, "all")
    for thing in (odd, ab.TaskSet((odd,), "\ud800"), program, results, results[program, odd]):
        html_of(thing).encode()


@needs_core
def test_every_object_has_a_rendering_for_notebooks(hostile: list[Any]) -> None:
    for thing in hostile:
        assert thing._repr_html_() == html_of(thing)


def test_own_op_with_hostile_documentation_stays_text() -> None:
    @ab.register_op
    def odd_op(grid: "Grid") -> "Grid":  # type: ignore[name-defined]  # noqa: F821 (a type of the language)
        """<script>"quoted"</script>"""
        return grid

    try:
        html = html_of(ab.parse_programs("def a(I): return odd_op(I)")[0])
    finally:
        ab.unregister_op("odd_op")
    assert 'title="&lt;script&gt;&quot;quoted&quot;&lt;/script&gt;"' in html


def test_outcome_marks_wrong_cells_and_tells_failures_in_words() -> None:
    results = ab.run(ab.parse_programs(SOURCE), task(), "all")
    exact, wrong, number, failed = (html_of(results[name, "mirror"]) for name in names())
    assert exact.count("output: exact") == 2
    assert "diamond" not in exact
    assert wrong.count("output: 4 cells of 4 wrong") == 2
    assert wrong.count("4 wrong cells") == 2
    assert "A white diamond marks a cell that is wrong." in wrong
    assert number.count("<code>2</code>") == 3
    assert failed.count("ZERO: division by zero, or a step or factor of zero") == 3
    assert failed.count("in divide(size(I), 0)") == 3


def names() -> list[str]:
    return re.findall(r"def (\w+)", SOURCE)


def test_outcome_without_outputs_shows_its_verdicts() -> None:
    results = ab.run(ab.parse_programs(SOURCE), task(), "all")
    outcome = next(results.records["mirror"].outcomes())
    assert "are not kept; run it alone to see them" in html_of(outcome)
    assert "<table>" in html_of(outcome)


def test_results_show_solved_pairs_first() -> None:
    programs = ab.parse_programs(SOURCE)
    html = html_of(ab.run(list(reversed(programs)), task(), "all"))
    assert re.findall(r"<tr><td>(\w+)</td>", html)[0] == "right"
    assert html.count("<td>yes</td>") == 1


def test_large_objects_are_bounded_and_say_how_much_is_left_out() -> None:
    many = ab.TaskSet(tuple(task(f"t{number}") for number in range(500)))
    assert "and 488 tasks more" in html_of(many)
    assert html_of(many).count("<svg") == 24
    long = ab.Task("long", demo=(ab.Sample(GRID, MIRRORED),) * 50, test=())
    assert "and 30 samples more" in html_of(long)
    assert "and 30 samples more" in html_of(ab.run(ab.parse_programs(SOURCE), long, "all")["right", "long"])
    programs = [named(ab.parse_programs(SOURCE)[0], f"p{number}") for number in range(30)]
    assert "and 10 pairs more" in html_of(ab.run(programs, task(), "all"))
    steps = "".join(f"    x{n} = {'vh'[n % 2]}mirror(x{n - 1})\n" for n in range(1, 100))
    source = f"def long(I):\n    x0 = rot90(I)\n{steps}    return x99\n"
    assert "lines more" in html_of(ab.parse_programs(source)[0])


@pytest.mark.filterwarnings("ignore::arcbatt.NothingRunWarning")
@pytest.mark.parametrize("thing", [ab.Results, ab.Archive, ab.Solution, ab.TaskSet])
def test_empty_objects_are_shown(thing: type, tmp_path: Path) -> None:
    made: dict[type, Any] = {
        ab.Results: lambda: ab.run([], [], "all"),
        ab.Archive: lambda: ab.Archive(tmp_path / "empty.db"),
        ab.Solution: lambda: ab.Solution(()),
        ab.TaskSet: lambda: ab.TaskSet(()),
    }
    assert html_of(made[thing]()).startswith('<div class="arcbatt">')


def test_failing_rendering_leaves_the_repr(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    archive = ab.Archive(tmp_path / "closed.db")
    archive.close()
    assert archive._repr_html_() is None
    monkeypatch.setitem(notebook.RENDERERS, "Task", "fragments.tasks.missing")
    assert task()._repr_html_() is None


def test_object_of_an_unknown_class_is_shown_as_its_repr() -> None:
    assert html_of("<b>").endswith("<pre>&#x27;&lt;b&gt;&#x27;</pre></div>")


def test_class_finds_its_rendering_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    class Unheard(str):
        pass

    class Longer(Unheard):
        pass

    monkeypatch.setitem(notebook.RENDERERS, "Unheard", "markup.escape")
    assert html_of(Longer("<b>")) == fragment("&lt;b&gt;")


@settings(max_examples=25)
@given(random_programs())
def test_outcome_of_any_program_is_shown(program: Program) -> None:
    outcome = ab.run([program], task(), "all")[program, "mirror"]
    assert outcome._repr_html_() is not None
    assert program._repr_html_() is not None
