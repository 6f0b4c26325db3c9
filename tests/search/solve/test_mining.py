"""Mining: parts that programs share become templates."""

import pytest

from arcbatt.library import load_library
from arcbatt.program.parse import parse_programs
from arcbatt.search.solve.mining import mine, mined_text
from arcbatt.search.solve.templates import parse_templates

PLANTED = """
def solve_a(I): return fill(I, THREE, delta(argmax(objects(I, T, F, T), size)))
def solve_b(I): return rot90(fill(trim(I), TWO, delta(argmax(fgpartition(I), width))))
def solve_c(I): return hconcat(I, fill(I, leastcolor(I), delta(argmax(partition(I), height))))
"""


def test_planted_part_is_found_with_typed_holes() -> None:
    lines = mine(parse_programs(PLANTED))
    assert lines == [
        "indices 1: delta(argmax(?objects, ?measure))  # 3 programs",
        "grid 1: fill(?grid, ?color, delta(?object))  # 3 programs",
    ]


def test_part_inside_a_larger_one_of_the_same_programs_is_left_out() -> None:
    text = """
    def solve_a(I): return trim(compress(rot90(I)))
    def solve_b(I): return hconcat(I, trim(compress(rot90(vmirror(I)))))
    """
    lines = mine(parse_programs("\n".join(line.strip() for line in text.splitlines())), least=2)
    assert lines == ["grid 1: trim(compress(rot90(?grid)))  # 2 programs"]


def test_constant_that_is_a_colour_here_and_a_truth_there_is_open_only_as_a_colour() -> None:
    lines = mine(
        parse_programs(
            "def solve_a(I): return subgrid(first(colorfilter(objects(I, T, F, F), ZERO)), I)\n"
            "def solve_b(I): return subgrid(first(colorfilter(objects(I, T, F, F), ONE)), I)\n"
        ),
        least=2,
    )
    assert lines == ["grid 1: subgrid(first(colorfilter(objects(I, T, F, F), ?color)), I)  # 2 programs"]


def test_programs_that_are_the_same_count_once() -> None:
    text = "def solve_a(I): return trim(rot90(I))\ndef solve_b(I): return trim(rot90(I))\n"
    assert mine(parse_programs(text), least=2) == []


@pytest.mark.slow
def test_library_gives_templates_that_can_be_read() -> None:
    programs = load_library()
    text = mined_text(programs)
    assert text == mined_text(programs)
    templates = parse_templates(text)
    assert len(templates) == len(mine(programs)) > 40
    assert all(len(template.holes) <= 3 for template in templates)
    assert "hconcat(?grid, vmirror(?grid))" in {template.text for template in templates}
    counts = [int(line.split("# ")[1].split()[0]) for line in text.splitlines()[1:]]
    assert counts == sorted(counts, reverse=True)
