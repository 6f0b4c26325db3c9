"""Settings: what their fields say holds for the options of commands and the parameters of functions alike."""

from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from typing import Any, Literal

import pytest

import arcbatt as ab
from arcbatt.arguments import MORE_THAN_0
from arcbatt.commands.options import with_settings
from arcbatt.search.evolve.breeder import EvolveSettings
from arcbatt.search.solve.solve import SolveSettings
from arcbatt.settings import Settings, SettingSpec, setting


def refuse_odd(value: object) -> None:
    if value != "even":
        raise ab.ArcbattError("give even")


@dataclass(frozen=True)
class Walk(Settings):
    steps: int | None = setting(None, "So many steps.", least=1, most=9)
    seconds: float = setting(1.0, "So many seconds.", least=MORE_THAN_0)
    wild: bool = setting(False, "Go anywhere.", flags=("-w", "--wild"))
    gait: Literal["trot", "amble"] = setting("trot", "How to go.")
    kind: str = setting("even", SettingSpec(check=refuse_odd))
    on_end: Callable[[], None] | None = None


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"steps": 0}, "steps: expected an integer from 1 to 9, got 0"),
        ({"steps": 10}, "steps: expected an integer from 1 to 9, got 10"),
        ({"steps": True}, "steps: expected an integer from 1 to 9, got True"),
        ({"seconds": 0}, "seconds: expected a number > 0, got 0"),
        ({"seconds": float("nan")}, "seconds: expected a number > 0, got nan"),
        ({"wild": None}, "wild: expected True or False, got None"),
        ({"gait": "run"}, "gait: expected one of trot, amble, got 'run'"),
        ({"kind": "odd"}, "give even"),
        ({"on_end": 3}, "on_end: expected a function, got 3"),
    ],
)
def test_wrong_settings_are_refused(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ab.ArcbattError) as caught:
        Walk(**wrong)
    assert str(caught.value) == sentence


def test_a_number_in_place_of_a_flag_becomes_one() -> None:
    assert Walk(wild=1).wild is True  # type: ignore[arg-type]


def test_a_command_gets_its_options_as_settings() -> None:
    def execute(*, before: int = 1, settings: Walk, after: int = 2) -> int:
        assert settings == Walk(steps=5, gait="amble")
        return before + after

    command = with_settings(execute)
    parameters = signature(command).parameters
    assert list(parameters) == ["before", "steps", "seconds", "wild", "gait", "after"]
    assert parameters["seconds"].default == 1.0
    assert command(before=3, after=4, steps=5, seconds=1.0, wild=False, gait="amble") == 7


@pytest.mark.parametrize(("function", "settings"), [(ab.evolve, EvolveSettings), (ab.solve, SolveSettings)])
def test_a_function_has_the_defaults_of_its_settings(
    function: Callable[..., object], settings: type[Settings]
) -> None:
    parameters = signature(function).parameters
    defaults = {each.name: each.default for each in settings.declared()}
    assert defaults.keys() <= parameters.keys()
    resolved = {"seeds": None, "exchange": None}  # None stands for the library, and for the default
    for name, default in defaults.items():
        assert parameters[name].default in (default, resolved.get(name, default)), name
