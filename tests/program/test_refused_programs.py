"""Programs that are refused: `on_refused` says whether a warning, an error or nothing comes of them."""

import warnings
from pathlib import Path
from typing import Any

import pytest

import arcbatt as ab
from arcbatt.errors import ProgramError

GOOD = "def solve_x(I): return rot90(I)\n"
BAD = "def solve_y(I): return rot09(I)\n"
WORSE = "def solve_z(I): return I[0]\n"


def test_a_refused_program_is_warned_of_with_its_place_and_reason() -> None:
    with pytest.warns(
        ab.RefusedProgramWarning, match=r"^a.py:2:24: solve_y: there is no op or variable 'rot09'.*left out"
    ) as seen:
        programs = ab.parse_programs(GOOD + BAD, "a.py")
    assert [program.name for program in programs] == ["solve_x"]
    assert len(programs.refused) == len(seen) == 1
    assert seen[0].filename == __file__


def test_many_refused_programs_are_one_warning(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.py").write_text(GOOD + BAD + WORSE)
    with pytest.warns(
        ab.RefusedProgramWarning, match=r"a.py:2:24: solve_y: .*left out, and so are 3 more"
    ) as seen:
        programs = ab.load_programs(tmp_path)
    assert len(programs.refused) == 4
    assert [warning.filename for warning in seen] == [__file__]


@pytest.mark.parametrize(
    "options", [{"on_refused": "raise"}, {"strict": True}, {"strict": True, "on_refused": "raise"}]
)
def test_a_refused_program_is_an_error_on_request(options: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(GOOD + BAD)
    for read in (
        lambda: ab.parse_programs(GOOD + BAD, **options),
        lambda: ab.load_programs(file, **options),
        lambda: ab.load_programs(tmp_path, **options),
    ):
        with pytest.raises(ProgramError, match="there is no op or variable 'rot09'"):
            read()


def test_refused_programs_are_ignored_on_request(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(GOOD + BAD)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(ab.parse_programs(GOOD + BAD, on_refused="ignore").refused) == 1
        assert len(ab.load_programs(tmp_path, on_refused="ignore").refused) == 1
        assert not ab.parse_programs(GOOD).refused


@pytest.mark.parametrize("how", ["warn", "raise", "ignore"])
def test_a_text_without_any_program_is_an_error(how: Any) -> None:
    with pytest.raises(ProgramError):
        ab.parse_programs(BAD, on_refused=how)


@pytest.mark.parametrize(
    "options", [{"on_refused": "x"}, {"on_refused": None}, {"strict": True, "on_refused": "ignore"}]
)
def test_wrong_options_are_refused_in_a_sentence(options: dict[str, Any]) -> None:
    with pytest.raises(ab.ArcbattError, match=r"on_refused(:| is)"):
        ab.parse_programs(GOOD, **options)
