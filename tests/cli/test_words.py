"""Every word of environments, batches and batt commands is taken with the meaning that old code gives it."""

from pathlib import Path
from typing import Any

import pytest

import arcbatt as ab
from arcbatt.batt.runtime import ONE, TWO, ZERO, add, crop, divide
from support.commands import Command

GRID, TURNED = ((1, 2), (3, 4)), ((3, 1), (4, 2))
DATA: dict[str, Any] = {
    "demo": {"task1": [{"input": [[1, 2], [3, 4]], "output": [[3, 1], [4, 2]]}] * 2},
    "test": {"task1": [{"input": [[1, 2], [3, 4]], "output": None}]},
}
BATT = """
from pile import *


def batt(task_id, S, I, C, log_path):
    s = []
    o = []
    env = Env(7, task_id, S, log_path)
    t1 = env.do_pile(1, [rot90, I], True)
    o.append((1, False, 'task1', t1))
    t2 = env.do_pile(2, [p_g, t1.t], t1.ok)
    t3 = env.do_pile(3, [p_g, C], True)
    t4 = env.do_pile(4, [difference_tuple, t2.t, t3.t], t2.ok and t3.ok)
    t5 = env.do_pile(5, [size, t4.t], t4.ok)
    t6 = env.do_pile(6, [subtract, THOUSAND, t5.t], t5.ok)
    t7 = env.do_pile(7, [get_nth_t, t4.t, F0], t4.ok)
    t8 = env.do_pile(8, [astuple, t6.t, t7.t], t6.ok and t7.ok)
    s.append((8, 'task1', 'differ_0f', t8))
    return o, s
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a batt of its own, in which the test runs."""
    (tmp_path / "batt.py").write_text(BATT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_an_environment_of_either_kind(folder: Path) -> None:
    log = folder / "pile.log"
    for env in (
        ab.Env(7, "task1", ((GRID, TURNED),), str(log), 0),
        ab.Env(seed=7, task_id="task1", S=(), log_path=str(log), score=0),
        ab.GPUEnv(7, "task1", ((GRID, TURNED),), str(log), enable_gpu=False),
        ab.GPUEnv(seed=7, task_id="task1", S=(), log_path=str(log), enable_gpu=False),
    ):
        log.unlink(missing_ok=True)
        assert env.do_pile(1, [add, ONE, TWO]) == ab.OKT(True, 3)
        assert env.do_pile(2, [add, ONE, TWO], False) == env.do_pile(3, None) == ab.OKT(False, None)
        assert env.do_pile(4, [crop, ONE, TWO, TWO], True) == ab.OKT(ok=True, t=())
        assert env.do_pile(5, [divide, ONE, ZERO], True) == ab.OKT(ok=False, t=None)
        assert env.exceptions == 2
        assert [line.split()[:3] for line in log.read_text().splitlines()] == [
            ["task1", "t4", "TYPE"],
            ["task1", "t5", "ZERO"],
        ]


def test_what_a_gpu_environment_tells(capsys: pytest.CaptureFixture[str]) -> None:
    env = ab.GPUEnv(7, "task1", (), enable_gpu=False)
    env.do_pile(1, [add, ONE, TWO])
    assert sum(env.stats.ops.values()) == 1
    env.print_stats()
    env.cleanup()
    assert "transfers" in capsys.readouterr().out


def test_a_call_of_a_batt_and_its_result() -> None:
    given = ab.BatchInput(
        task_id="task1",
        task_idx=0,
        sample_type="demo",
        sample_idx=1,
        S=((GRID, TURNED),),
        I=GRID,
        C=None,
        log_path="pile.log",
    )
    assert given == ab.BatchInput("task1", 0, "demo", 1, ((GRID, TURNED),), GRID, None, "pile.log")
    assert given.to_args() == ("task1", ((GRID, TURNED),), GRID, None, "pile.log")
    result = ab.BatchResult(batch_idx=0, o_result=[], s_result=[])
    assert (result.batch_idx, result.o_result, result.s_result, result.status) == (0, [], [], "ok")


@pytest.mark.parametrize(
    "words",
    [
        {},
        {"batt_module_name": "batt", "batch_size": 20, "enable_gpu": False, "parallel": False},
        {"batch_size": 1, "use_gpu": True, "parallel": True, "max_workers": 4},
        {"batt_module_name": "batt.py", "use_gpu": False, "max_workers": None},
    ],
)
def test_a_coordinator_does_the_whole_job_or_its_steps(words: dict[str, Any]) -> None:
    coordinator = ab.MegaBatchCoordinator(**words)
    inputs = coordinator.collect_inputs(DATA, ["task1"], log_path="pile.log")
    assert [(given.sample_type, given.sample_idx) for given in inputs] == [
        ("demo", 0),
        ("demo", 1),
        ("test", 0),
    ]
    results = [
        coordinator.process_batch(batch, batch_idx)
        for batch_idx, batch in enumerate(coordinator.create_batches(inputs))
    ]
    merged = coordinator.merge_results(inputs, results)
    found, seconds = coordinator.process_all(DATA, ["task1"], "pile.log")
    assert found == merged
    assert seconds > 0
    assert list(found) == ["task1"]
    assert found["task1"]["demo"][1] == {
        "o": [(1, False, "task1", ab.OKT(True, TURNED))],
        "s": [(8, "task1", "differ_0f", ab.OKT(True, (1000, ())))],
    }
    assert found["task1"]["test"][0]["o"] == [(1, False, "task1", ab.OKT(True, TURNED))]
    assert "task1 t7 EMPTY get_nth_t((), 0)\n" in Path("pile.log").read_text()


RUN: list[list[object]] = [
    ["-c", 1],
    ["-b", "mine", "-c", 2, "-s", 3],
    ["-b", "mine.py", "-i", "solve_23b5c85d", "00d62c1b", "-t", 5, "--timing"],
    ["-c", -2, "--mega-batch", "--batch-size", 7, "--data", "eval"],
    ["-c", 1, "--data", "both", "--cprofile"],
    ["-c", 1, "--use-gpu"],
    ["-c", 1, "--json", "out.json", "--on-failure", "file"],
]
CARD: list[list[object]] = [
    ["-c", 2],
    ["-c", 2, "--style", "guarded", "--seed", 5],
    ["-c", 2, "--vectorized", "-fs"],
    ["-c", 2, "--gpu", "-fd"],
    ["-i", "solve_23b5c85d", "-fs", "-fd", "--data", "train"],
    ["-c", -2, "--data", "both"],
]


@pytest.mark.process
@pytest.mark.parametrize("words", RUN, ids=lambda words: " ".join(map(str, words)))
def test_a_batt_is_run_with_every_option(cli: Command, words: list[object]) -> None:
    for name in ("batt.py", "mine.py"):
        assert cli("card", "-f", name, "-c", 1, "-fs", "-fd").code == 0
    answer = cli("run-batt", *words)
    assert answer.code == 0, answer.err
    assert " samples: " in answer.out


@pytest.mark.parametrize("words", CARD, ids=lambda words: " ".join(map(str, words)))
def test_a_batt_is_made_with_every_option(cli: Command, words: list[object]) -> None:
    answer = cli("card", *words, "-f", "made.py")
    assert answer.code == 0, answer.err
    assert len(ab.load_batt("made.py").solvers) == (1 if "-i" in words else 2)
