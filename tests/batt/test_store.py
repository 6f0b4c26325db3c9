"""The store of scores: only what holds alone gets in, and only what was made on the same terms comes out."""

import json
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from time import sleep

import pytest

import arcbatt as ab
from arcbatt.batt.scoring import Scorer, Scores, score
from arcbatt.batt.store import ScoreStore, language_version
from arcbatt.dsl.table import TABLE, add, record
from arcbatt.dsl.types import Grid
from arcbatt.errors import ArcbattError
from arcbatt.files import content_of_file
from arcbatt.program.mutation.mutate import Mutator

SOLVERS = ab.parse_programs(
    "def as_is(I): return I\ndef mirrored(I): return vmirror(I)\ndef failing(I): return first(())"
)


@pytest.fixture(scope="module")
def scores() -> Scores:
    return score(SOLVERS, ab.load_tasks("67a3c6ac"), pairs="all")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "scores.jsonl"


def test_stored_scores_are_found_again(path: Path, scores: Scores) -> None:
    ScoreStore(path).add(scores, scores.scorer)
    again = ScoreStore(path)
    assert len(again) == len(SOLVERS)
    for found in scores:
        assert again.find(found.program, found.task, scores.scorer) == found
    renamed = replace(SOLVERS[1], name="other_name")
    assert again.find(renamed, scores.tasks[0], scores.scorer) is not None
    assert [row.name for row in path.parent.iterdir()] == [path.name]


def test_a_store_tells_which_program_has_a_score(path: Path, scores: Scores) -> None:
    (parent,) = ab.parse_programs("def solve_67a3c6ac(I): return hmirror(I)")
    found = score(Mutator(1).mutants(parent, 3), scores.tasks)
    ScoreStore(path).add(found, found.scorer)
    for (digest, task, _), entry in ScoreStore(path):
        (program,) = ab.parse_programs(entry.source)
        assert (program.name, program.hash) == (entry.name, digest)
        assert found[program, task].verdicts == entry.verdicts
    assert len({entry.name for _, entry in ScoreStore(path)}) == 3


def test_two_stores_of_one_file_keep_what_both_add(path: Path, scores: Scores) -> None:
    one, other = ScoreStore(path), ScoreStore(path)
    first, second, third = scores
    one.add([first], scores.scorer)
    other.add([second], scores.scorer)
    one.add([third], scores.scorer)
    assert len(ScoreStore(path)) == len(one) == 3
    assert one.find(second.program, second.task, scores.scorer) == second


@pytest.mark.skipif(find_spec("fcntl") is None, reason="needs flock")
def test_stores_that_add_at_the_same_time_wait_for_each_other(
    path: Path, scores: Scores, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(path: str, most: int) -> bytes:
        found = content_of_file(path, most)
        sleep(0.05)
        return found

    stores = [ScoreStore(path) for _ in scores]
    path.touch()
    monkeypatch.setattr("arcbatt.batt.store.content_of_file", slow)
    adding = [Thread(target=store.add, args=([found], scores.scorer)) for store, found in zip(stores, scores)]
    for thread in adding:
        thread.start()
    for thread in adding:
        thread.join()
    assert len(ScoreStore(path)) == len(stores)


def test_a_score_that_does_not_hold_changes_nothing(path: Path, scores: Scores) -> None:
    store = ScoreStore(path)
    first, second, _ = scores
    store.add([first], scores.scorer)
    before = path.read_bytes()
    with pytest.raises(ArcbattError, match="does not hold"):
        store.add([second, first._replace(mean=999.5)], scores.scorer)
    assert path.read_bytes() == before
    assert store.find(second.program, second.task, scores.scorer) is None


def test_what_was_scored_on_other_terms_is_not_found(path: Path, scores: Scores) -> None:
    store, scorer, task = ScoreStore(path), scores.scorer, scores.tasks[0]
    store.add(scores, scorer)
    for other in (
        Scorer(scorer.differs[1:]),
        Scorer(scorer.differs, on_failure="fail"),
        Scorer(scorer.differs, limits=ab.Limits(items=50_000)),
    ):
        assert store.find(SOLVERS[0], task, other) is None
    assert store.find(SOLVERS[0], replace(task, test=()), scorer) is None
    assert store.find(SOLVERS[0], task, Scorer(scorer.differs, threads=1)) is not None


def test_another_version_of_the_language_does_not_see_them(path: Path, scores: Scores) -> None:
    ScoreStore(path).add(scores, scores.scorer)
    path.write_text(path.read_text().replace(language_version(), "0.0.9+0123456789abcdef"))
    again = ScoreStore(path)
    assert len(again) == 0
    first, *_ = scores
    assert again.find(first.program, first.task, scores.scorer) is None
    again.add([first], scores.scorer)
    assert len(ScoreStore(path)) == 1


def test_of_too_many_the_oldest_are_dropped(path: Path, scores: Scores) -> None:
    store = ScoreStore(path, most=2)
    for found in scores:
        store.add([found], scores.scorer)
    assert [json.loads(line)["name"] for line in path.read_text().splitlines()] == ["mirrored", "failing"]
    _, second, _ = scores
    store.add([second], scores.scorer)
    assert [json.loads(line)["name"] for line in path.read_text().splitlines()] == ["failing", "mirrored"]


@pytest.mark.parametrize(
    "spoiled", ["", "{", "[]", "3", '"text"', "{}", "[" * 100_000, '{"language": "LANGUAGE"}', "VERDICT"]
)
def test_a_line_that_is_no_score_is_named(spoiled: str, path: Path, scores: Scores) -> None:
    ScoreStore(path).add(scores, scores.scorer)
    lines = path.read_text().splitlines()
    wrong = json.dumps(json.loads(lines[0]) | {"verdicts": [1, "NONE"]})
    lines[1] = spoiled.replace("LANGUAGE", language_version()).replace("VERDICT", wrong)
    path.write_text("\n".join(lines))
    with pytest.raises(ArcbattError, match=r"scores\.jsonl:2: this is no stored score"):
        ScoreStore(path)


def test_a_file_that_cannot_be_read_or_written_is_named(tmp_path: Path, scores: Scores) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "bytes").write_bytes(b"\xff")
    for name in ("folder", "bytes"):
        with pytest.raises(ArcbattError, match=f"{name}: the scores cannot be read"):
            ScoreStore(tmp_path / name)
    with pytest.raises(ArcbattError, match="cannot be written"):
        ScoreStore(tmp_path / "nowhere" / "scores.jsonl").add(scores, scores.scorer)


def test_a_program_with_an_op_of_the_user_is_not_stored(path: Path, scores: Scores) -> None:
    def turned(grid: Grid) -> Grid:
        """The grid upside down."""
        return grid[::-1]

    before = language_version()
    add(record(turned, trusted=False))
    try:
        solvers = ab.parse_programs(
            "def called(I): return turned(I)\ndef bound(I): return compose(turned, turned)(I)"
        )
        own = score(solvers, scores.tasks, pairs="all")
        assert language_version() == before
        for found in own:
            with pytest.raises(ArcbattError, match="'turned', an op of your own"):
                ScoreStore(path).add([found], own.scorer)
    finally:
        del TABLE["turned"]
    assert not path.exists()
