"""A name never stands for two programs: mutants have names of their own, and a shared name means nobody."""

from dataclasses import replace

import pytest

import arcbatt as ab
from arcbatt.batt.scoring import score
from arcbatt.engine.records.record import Record
from arcbatt.errors import AmbiguousName, ArcbattError, ResultMissing
from arcbatt.program import names
from arcbatt.program.graph import Program
from arcbatt.program.mutation.mutate import Mutator
from arcbatt.program.names import own_name, under_own_names

TASK = ab.load_tasks("67a3c6ac")["67a3c6ac"]


def program(expression: str, name: str = "solve_67a3c6ac") -> Program:
    (found,) = ab.parse_programs(f"def {name}(I): return {expression}")
    return found


def mutants_with_a_solution() -> list[Program]:
    """Three mutants of one program, of which the second solves the task."""
    parent = program("hmirror(I)")
    mutants = list(Mutator(1).mutants(parent, 200))
    solving = next(mutant for mutant in mutants if ab.run(mutant, TASK)[mutant, TASK].solved)
    others = [mutant for mutant in mutants if not ab.run(mutant, TASK)[mutant, TASK].solved]
    return [others[0], solving, others[1]]


def test_each_of_three_mutants_has_its_own_result() -> None:
    mutants = mutants_with_a_solution()
    result = ab.run(mutants, TASK)
    assert [result[mutant.name, TASK.id].solved for mutant in mutants] == [False, True, False]
    assert [result[mutant, TASK.id].solved for mutant in mutants] == [False, True, False]
    assert [result[mutant.hash, TASK].solved for mutant in mutants] == [False, True, False]
    assert result.solved == {(mutants[1].name, TASK.id)}


def test_a_mutant_is_named_after_its_parent_and_its_content() -> None:
    parent = program("hmirror(I)")
    mutant = Mutator(3).mutated(parent)
    assert mutant.name == f"solve_67a3c6ac~{mutant.hash[:6]}"
    again = Mutator(3).mutated(mutant)
    assert again.name == f"solve_67a3c6ac~{again.hash[:6]}"
    assert mutant.task_id == again.task_id == "67a3c6ac"


def test_a_hash_is_no_task_id() -> None:
    assert replace(program("I"), name="solve_x~1f3a9c07").task_id is None
    assert replace(program("I"), name="67a3c6ac~1f3a9c07").task_id == "67a3c6ac"


def test_mutants_whose_hashes_begin_alike_have_names_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    assert own_name("a", "1f3a9c07", {"a~1f3a9c"}) == "a~1f3a9c0"
    monkeypatch.setattr(names, "SHORTEST_HASH", 1)
    mutants = list(Mutator(1).mutants(program("fill(I, THREE, ofcolor(hmirror(I), TWO))"), 50))
    assert len({mutant.name for mutant in mutants}) == len(mutants) == 50
    assert {len(mutant.name) - len("solve_67a3c6ac~") for mutant in mutants} >= {1, 2}


def test_merged_programs_whose_hashes_begin_alike_get_longer_names() -> None:
    one, other = program("hmirror(I)"), program("vmirror(I)")
    taken = replace(program("rot90(I)"), name=f"solve_67a3c6ac~{one.hash[:6]}")
    named = under_own_names([one, taken, other])
    assert [found.name for found in named] == [
        f"solve_67a3c6ac~{one.hash[:7]}",
        taken.name,
        f"solve_67a3c6ac~{other.hash[:7]}",
    ]


def test_a_name_that_several_share_is_an_error_that_lists_them() -> None:
    one, other = program("hmirror(I)"), program("vmirror(I)")
    result = ab.run([one, other, one], TASK)
    assert len(result) == 2
    with pytest.raises(AmbiguousName) as caught:
        result["solve_67a3c6ac", TASK.id]
    assert isinstance(caught.value, ArcbattError)
    assert all(f"solve_67a3c6ac~{found.hash[:6]}" in str(caught.value) for found in (one, other))
    assert ("solve_67a3c6ac", TASK.id) not in result
    assert not result[one, TASK].solved
    assert result[other, TASK].solved


def test_programs_of_a_batt_that_share_a_name_are_told_apart() -> None:
    one, other = program("hmirror(I)"), program("vmirror(I)")
    result = ab.run(ab.Batt((one, other)), TASK)
    assert result.solved == {(f"solve_67a3c6ac~{other.hash[:6]}", TASK.id)}
    assert [result[found, TASK].solved for found in (one, other)] == [False, True]


def test_the_parent_is_found_by_its_name_beside_its_mutants() -> None:
    parent = program("vmirror(I)")
    result = ab.run([*Mutator(1).mutants(parent, 3), parent], TASK)
    assert result["solve_67a3c6ac", TASK.id].program is parent


def test_one_program_under_two_names_is_found_by_hash() -> None:
    one, other = program("vmirror(I)", "a"), program("vmirror(I)", "b")
    result = ab.run([one, other], TASK, pairs="all")
    assert result[one.hash, TASK.id].solved
    assert [result[found, TASK.id].program.name for found in (one, other)] == ["a", "b"]


def test_a_program_that_did_not_run_has_no_result() -> None:
    result = ab.run(program("vmirror(I)"), TASK)
    for asked in (program("rot90(I)"), "solve_67a3c6ac~123456", program("rot90(I)").hash):
        with pytest.raises(ResultMissing):
            result[asked, TASK.id]


def test_what_is_solved_is_told_anew_after_more_is_added() -> None:
    result = ab.run(program("vmirror(I)"), TASK)
    assert len(result.solved) == 1
    other = replace(TASK, id="other")
    result.add(Record(other, *result.records[TASK.id][1:]))
    assert result.solved == {("solve_67a3c6ac", TASK.id), ("solve_67a3c6ac", "other")}


def test_a_line_of_a_pile_that_stands_twice_is_not_mistaken_for_the_other() -> None:
    lines = (
        "t1 = env.do_pile(1, [asindices, ONE], True)",
        "t2 = env.do_pile(2, [asindices, ONE], True)",
        "t3 = env.do_pile(3, [asindices, ONE], True)",
        "o.append((1, False, 'a', t1))",
        "o.append((3, False, 'a', t3))",
    )
    text = "\n    ".join(
        (
            "def batt(task_id, S, I, C, log_path):",
            "s = []",
            "o = []",
            "env = Env(0, task_id, S, log_path)",
            *lines,
            "return o, s",
        )
    )
    result = ab.run(ab.parse_batt(text), TASK, pairs="all", on_failure="pile")
    first, last = result
    assert first.verdicts != last.verdicts
    assert first.outputs != last.outputs
    with pytest.raises(AmbiguousName, match="lines"):
        result["a", TASK.id]
    assert result[last.program, TASK].outputs == last.outputs


def test_a_batt_of_mutants_writes_ids_that_tell_them_apart() -> None:
    mutants = mutants_with_a_solution()
    differs = ab.parse_programs("def differ_y(S, I, C): return astuple(size(I), size(C))")
    again = ab.parse_batt(ab.batt_source(ab.batt_of(mutants, differs), "guarded"))
    assert [solver.id for solver in again.solvers] == [mutant.name for mutant in mutants]
    assert [differ.scored for differ in again.differs] == ["None", *(mutant.name for mutant in mutants)]
    assert ab.run(again, TASK).solved >= {(mutants[1].name, TASK.id)}


def test_solvers_of_a_file_that_share_an_id_have_ids_of_their_own_in_a_new_batt() -> None:
    one, other = program("hmirror(I)"), program("vmirror(I)")
    batt = ab.Batt((replace(one, entry_id="x"), replace(other, entry_id="x")))
    read = ab.parse_batt(ab.batt_source(batt, "vectorized"))
    assert [entry[2] for entry in read.entries] == ["x", "x"]
    ids = [entry[2] for entry in ab.batt_of(read.solvers, ()).entries]
    assert ids == [f"x~{one.hash[:6]}", f"x~{other.hash[:6]}"]


def test_scores_are_found_like_results() -> None:
    mutants = mutants_with_a_solution()
    scores = score(mutants, [TASK])
    for asked in (mutants[1], mutants[1].name, mutants[1].hash):
        assert scores[asked, TASK.id].demo_exact == 3
    with pytest.raises(AmbiguousName):
        scores["solve_67a3c6ac", TASK.id]
    with pytest.raises(ArcbattError, match="no score"):
        scores[program("rot90(I)"), TASK.id]
