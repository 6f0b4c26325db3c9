"""Odd batt files from sound ones, by seeded damage: the kinds that files which people keep have."""

import ast
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

from arcbatt.dsl.table import TABLE
from arcbatt.program.batt_files.write import batt_source
from arcbatt.program.graph import Batt, Style

BODIES: tuple[Style, ...] = ("pile", "guarded", "vectorized")
_WORD = re.compile(r"\w+")
HEAD = "(task_id, S, I, C, log_path):"


@dataclass(frozen=True)
class OddFile:
    """A damaged file, what was done to it, and the places of the programs that are as good as before."""

    text: str
    damage: tuple[str, ...]
    sound: tuple[int, ...]


@dataclass
class _Line:
    """A line `name = callee(arguments)`; one that is `lost` fails by itself."""

    name: str
    callee: str
    arguments: list[str]
    style: Style
    lost: bool = False
    text: str | None = None  # instead of what the style says

    def uses(self, name: str) -> bool:
        return any(name in _WORD.findall(part) for part in (self.callee, *self.arguments))

    def render(self, variables: set[str], random: Random) -> str:
        """The line in its style; `variables` are those of the lines above."""
        if self.text is not None:
            return self.text
        call = f"{self.name} = {self.callee}({', '.join(self.arguments)})"
        if self.style == "pile" and "=" not in call.partition(" = ")[2]:
            used = [part for part in (self.callee, *self.arguments) if part in variables]
            pile = [f"{p}.t" if p in variables else p for p in (self.callee, *self.arguments)]
            condition = " and ".join(f"{name}.ok" for name in dict.fromkeys(used)) or "True"
            number = int(self.name[1:]) if self.name[1:].isdigit() else 0
            return f"{self.name} = env.do_pile({number}, [{', '.join(pile)}], {condition})"
        if self.style == "guarded":
            caught = random.choice(("Exception", "(TypeError, ValueError)", "builtins.KeyError as e"))
            return f"try:\n    {call}\nexcept {caught}:\n    {self.name} = _get_safe_default({self.callee})"
        return call


@dataclass
class _Output:
    """An entry of o or s; its parts as text, the value last."""

    into: str
    parts: list[str]
    lost: bool = False
    form: str = "{into}.append(({parts}))"

    def render(self) -> str:
        return self.form.format(into=self.into, parts=", ".join(self.parts))


@dataclass
class _Body:
    """A function that holds lines; `frame` has what stands around them."""

    style: Style
    items: list[_Line | _Output | str]
    frame: dict[str, str] = field(default_factory=dict)

    @property
    def lines(self) -> list[_Line]:
        return [item for item in self.items if isinstance(item, _Line) and item.text is None]

    @property
    def outputs(self) -> list[_Output]:
        return [item for item in self.items if isinstance(item, _Output)]

    def insert(self, random: Random, item: "_Line | str") -> None:
        """Put something between the lines."""
        self.items.insert(random.randrange(len(self.items) + 1), item)

    def sound(self) -> set[int]:
        """The places of the outputs that nothing costs."""
        lost: set[str] = set()
        sound: set[int] = set()
        place = 0
        for item in self.items:
            if isinstance(item, _Line):
                bad = item.lost or any(item.uses(name) for name in lost)
                (lost.add if bad else lost.discard)(item.name)
            elif isinstance(item, _Output):
                if not item.lost and item.parts[-1].removesuffix(".t") not in lost:
                    sound.add(place)
                place += 1
        return sound

    def render(self, name: str, random: Random) -> str:
        environment = "env = Env(0, task_id, S, log_path)" if self.style == "pile" else ""
        begin = ["s = []", "o = []", self.frame.get("env", environment)]
        text = [line for line in begin if line and self.frame.get(line) is None]
        variables: set[str] = set()
        for item in self.items:
            if isinstance(item, _Line):
                text.append(item.render(variables, random))
                variables.add(item.name)
            else:
                text.append(item if isinstance(item, str) else item.render())
        text.append(self.frame.get("return", "return o, s"))
        inner = "\n".join(text).replace("\n", "\n    ")
        head = self.frame.get("head", HEAD)
        return f"{self.frame.get('before', '')}def {name}{head}\n    {inner}\n"


def odd_file(
    batt: Batt, style: Style, seed: int, count: int = 3, kinds: Sequence[str] | None = None
) -> OddFile:
    """A file of a batt in some style, damaged `count` times by the kinds named, or by any."""
    random = Random(f"{seed} {style}")
    line_styles = random.sample(BODIES, 2) if style == "hybrid" else [style]
    bodies = [_body(batt, line_style) for line_style in line_styles]
    done = [random.choice(list(kinds or DAMAGE)) for _ in range(count)]
    before = ""
    for kind in done:
        if kind in PRELUDES:
            before += PRELUDES[kind]
        else:
            for body in bodies if random.randrange(2) else [random.choice(bodies)]:
                DAMAGE[kind](body, random)
    names = ["batt"] if len(bodies) == 1 else ["batt_gpu_resident", "batt_cpu_fallback"]
    functions = [body.render(name, random) for body, name in zip(bodies, names)]
    if style == "hybrid":
        first, second = (f"return {name}(task_id, S, I, C, log_path)" for name in names)
        functions.append(
            f"def batt{HEAD}\n    try:\n        {first}\n    except Exception as e:\n        {second}\n"
        )
    sound = set.intersection(*(body.sound() for body in bodies))
    text = "\n\n".join(("from dsl import *", before, *functions))
    return OddFile(text, tuple(done), tuple(sorted(sound)))


def _body(batt: Batt, style: Style) -> _Body:
    """The lines and outputs of a batt."""
    (function,) = (
        part for part in ast.parse(batt_source(batt, "vectorized")).body if isinstance(part, ast.FunctionDef)
    )
    items: list[_Line | _Output | str] = []
    for statement in function.body[2:-1]:
        match statement:
            case ast.Assign([ast.Name(name)], ast.Call(callee, arguments)):
                words = [ast.unparse(argument) for argument in arguments]
                items.append(_Line(name, ast.unparse(callee), words, style))
            case ast.Expr(ast.Call(ast.Attribute(ast.Name(into)), [ast.Tuple(parts)])):
                items.append(_Output(into, [ast.unparse(part) for part in parts]))
    return _Body(style, items)


Damage = Callable[[_Body, Random], None]
DAMAGE: dict[str, Damage] = {}


def _damage(function: Damage) -> Damage:
    DAMAGE[function.__name__.strip("_")] = function
    return function


def _some_line(body: _Body, random: Random) -> _Line | None:
    return random.choice(body.lines) if body.lines else None


def _damaging(change: Callable[[_Line, Random], None]) -> Damage:
    """Damage to one line, which fails."""

    def damage(body: _Body, random: Random) -> None:
        line = _some_line(body, random)
        if line is not None:
            change(line, random)
            line.lost = True

    damage.__name__ = change.__name__
    return _damage(damage)


@_damaging
def _constant_called(line: _Line, random: Random) -> None:
    line.callee = random.choice(("EIGHT", "ORIGIN", "F0"))


@_damaging
def _unknown_op(line: _Line, random: Random) -> None:
    line.callee = f"{line.callee}{random.choice('xyz')}_{random.randrange(100)}"


@_damaging
def _helper_called(line: _Line, random: Random) -> None:
    line.callee, line.arguments = "some_helper", ["task_id", *line.arguments]


@_damaging
def _extra_arguments(line: _Line, random: Random) -> None:
    # More than any function takes, whatever the callee is.
    line.arguments = [*["I"] * (5 + random.randrange(20)), *line.arguments]


@_damaging
def _argument_missing(line: _Line, random: Random) -> None:
    line.arguments = []


@_damaging
def _odd_argument(line: _Line, random: Random) -> None:
    odd = ("t99999", "TWOO", "None", "2.5", "'text'", "99999999999", "*I", "I[0]", "not I", "[1]", "o", "{}")
    place = random.randrange(len(line.arguments) or 1)
    line.arguments[place : place + 1] = [random.choice(odd)]


@_damaging
def _keyword_unknown(line: _Line, random: Random) -> None:
    if line.style == "pile" or "=" in "".join(line.arguments):
        line.callee = "unknown_op"
    else:
        line.arguments = [*line.arguments[:-1], f"no_such_keyword={(line.arguments or ['I'])[-1]}"]


@_damaging
def _several_names(line: _Line, random: Random) -> None:
    line.text = f"{line.name}, {line.name}_rest = rot90(I)"


@_damaging
def _odd_expression(line: _Line, random: Random) -> None:
    value = random.choice(("I == S", "I + I", "-I", "f'{I}'", "None", "{1: 2}", "I.x", "a.b(I)"))
    line.text = f"{line.name} = {value}"


@_damaging
def _condition_false(line: _Line, random: Random) -> None:
    line.text = f"{line.name} = env.do_pile({random.randrange(9)}, [rot90, I], False)"


@_damaging
def _pile_none(line: _Line, random: Random) -> None:
    line.text = f"{line.name} = env.do_pile(1, None)"


@_damage
def _condition(body: _Body, random: Random) -> None:
    """A condition that leaves out arguments, or names a line that is not used."""
    line = _some_line(body, random)
    if line is not None and body.style == "pile" and line.style == "pile":
        above = {item.name for item in body.items[: body.items.index(line)] if isinstance(item, _Line)}
        start, _, _ = line.render(above, random).rpartition("], ")
        some = random.sample(sorted(above), min(len(above), random.randrange(3)))
        line.text = f"{start}], {' and '.join(f'{name}.ok' for name in some) or 'True'})"


@_damage
def _another_style(body: _Body, random: Random) -> None:
    line = _some_line(body, random)
    if line is not None:
        line.style = random.choice(BODIES)


@_damage
def _line_between(body: _Body, random: Random) -> None:
    name = random.choice(("t70001", "extra", "_"))
    body.insert(random, _Line(name, "rot90", ["I"], random.choice(BODIES)))


@_damage
def _samples_at_once(body: _Body, random: Random) -> None:
    body.insert(random, "t70033, t70034, t70035, t70036 = batch_process_samples_gpu(S)")


@_damage
def _statement(body: _Body, random: Random) -> None:
    body.insert(
        random,
        random.choice(
            (
                "pass",
                "print(task_id)",
                "import os",
                "assert True",
                "'a string'",
                "del task_id",
                "global x",
                "def inner(x):\n    return [y for y in x]",
                "with open('x') as file:\n    pass",
                "t70050 += 1",
                "# mutated",
                "x: int",
                "o.sort()",
                "try:\n    t70060 = rot90(I)\nfinally:\n    pass",
            )
        ),
    )


@_damage
def _twice(body: _Body, random: Random) -> None:
    """A name that is given another value first."""
    line = _some_line(body, random)
    if line is not None:
        body.items.insert(body.items.index(line), _Line(line.name, "rot180", ["I"], line.style))


@_damage
def _renamed(body: _Body, random: Random) -> None:
    line = _some_line(body, random)
    if line is None or any(isinstance(item, _Line) and item.text for item in body.items):
        return
    old, new = line.name, random.choice(("x{}", "value_{}", "t0{}")).format(line.name[1:])
    for item in body.items:
        if isinstance(item, _Line):
            item.name = new if item.name == old else item.name
            item.callee = re.sub(rf"\b{old}\b", new, item.callee)
            item.arguments = [re.sub(rf"\b{old}\b", new, part) for part in item.arguments]
        elif isinstance(item, _Output):
            item.parts[-1] = re.sub(rf"\b{old}\b", new, item.parts[-1])


@_damage
def _nested(body: _Body, random: Random) -> None:
    """A line that holds the call of another one."""
    for line in random.sample(body.lines, len(body.lines)):
        inner = {item.name: item for item in body.items[: body.items.index(line)] if isinstance(item, _Line)}
        for place, argument in enumerate(line.arguments):
            found = inner.get(argument)
            if found and not found.lost and found.text is None and line.style != "pile":
                line.arguments[place] = f"{found.callee}({', '.join(found.arguments)})"
                return


@_damage
def _keywords(body: _Body, random: Random) -> None:
    line = _some_line(body, random)
    if line is not None and line.style != "pile" and line.callee in TABLE and not line.lost:
        params = TABLE[line.callee].params
        text = ", ".join(f"{param.name}={part}" for param, part in zip(params, line.arguments))
        if len(params) == len(line.arguments):
            line.text = f"{line.name} = {line.callee}({text})"


@_damage
def _annotated(body: _Body, random: Random) -> None:
    line = _some_line(body, random)
    if line is not None and line.style == "vectorized":
        name, _, rest = line.render(set(), random).partition(" = ")
        line.text = f"{name}: Grid = {rest}"


@_damage
def _frame(body: _Body, random: Random) -> None:
    key, value = random.choice(
        (
            ("s = []", ""),
            ("o = []", ""),
            ("return", "return o"),
            ("return", "return [o, s]"),
            ("return", "pass"),
            ("return", "return o, s\nreturn s"),
            ("env", "env = GPUEnv(7, task_id, S, log_path)"),
            ("env", "env = Env()"),
            ("env", "env = Env(task_id, seed=3)"),
            ("env", "pass"),
            ("head", "(task_id, S, I, C, log_path=None):"),
            ("head", "(task_id, S, I, C, log_path, *rest, fast=True):"),
            ("head", "(task_id, S, I, C):"),
            ("head", "(S, I, C) -> tuple:"),
            ("before", "@cache\n"),
        )
    )
    body.frame[key] = value


@_damage
def _odd_output(body: _Body, random: Random) -> None:
    if body.outputs:
        output = random.choice(body.outputs)
        change = random.randrange(5)
        if change == 0:
            output.parts[0] = random.choice(("0", "77777", "None", "t1", "'x'"))
        elif change == 1 and output.into == "o":
            output.parts[1] = random.choice(("0", "1", "None", "'yes'"))
        elif change == 2:
            output.form = random.choice(("{into}.append([{parts}])", "{into} += [({parts})]"))
        elif change == 3:
            output.parts[-1] += ".t" if not output.parts[-1].endswith(".t") else ""
        else:
            output.parts[2] = random.choice(("None", "17", "''", "'a(1)#2'"))


@_damage
def _output_unknown(body: _Body, random: Random) -> None:
    if body.outputs:
        output = random.choice(body.outputs)
        output.parts[-1], output.lost = random.choice(("t88888", "None", "'x'")), True


PRELUDES = {
    "imports": "try:\n    import cupy as cp\n    GPU = True\nexcept ImportError:\n    GPU = False\n",
    "constants": "BATCH = 30\nNAMES = ['a', 'b']\nLIMIT: int = 5\n",
    "helpers": "def _get_safe_default(f):\n    for x in f:\n        yield x\n\n\nclass Box:\n    pass\n",
    "samples": "def batch_process_samples_gpu(S):\n    return tuple(x for x in S), 1, 2, 3\n",
    "batch": "def batt_batch(task_ids, Ss, Is, Cs, log):\n    return [batt(*x) for x in zip(task_ids, Ss)]\n",
    "main": "if __name__ == '__main__':\n    print(batt)\n",
    "async": "async def later():\n    await later()\n",
    "twice": f"def batt{HEAD}\n    return None\n",
}
DAMAGE.update(dict.fromkeys(PRELUDES, lambda body, random: None))
KINDS = tuple(DAMAGE)
