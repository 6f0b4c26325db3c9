"""Scores in an archive: only what holds alone gets in, and only what was made on the same terms comes out."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

import arcbatt as ab
from arcbatt.archive.terms import language_version
from arcbatt.batt.scoring import Scorer, Scores, score

SOLVERS = ab.parse_programs(
    "def as_is(I): return I\ndef mirrored(I): return vmirror(I)\ndef failing(I): return first(())"
)
SCORE_FILE = Path(__file__).parents[1] / "data" / "scores.jsonl"  # as an earlier version wrote it


@pytest.fixture(scope="module")
def scores() -> Scores:
    return score(SOLVERS, ab.load_tasks("67a3c6ac"), pairs="all")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "archive.db"


def test_stored_scores_are_found_again(path: Path, scores: Scores) -> None:
    with ab.Archive(path) as archive:
        archive.add_scores(scores)
    with ab.Archive(path, readonly=True) as again:
        for found in scores:
            assert again.find_score(found.program, found.task, scores.scorer) == found
        renamed = replace(SOLVERS[1], name="other_name")
        assert again.find_score(renamed, scores.tasks[0], scores.scorer) is not None
        best, second, _ = again.best("67a3c6ac")
        assert (best.name, best.mean, best.score) == ("mirrored", 1000.0, 1000.0)
        assert second.score == pytest.approx(second.mean, abs=0.001)


def test_a_score_that_does_not_hold_changes_nothing(path: Path, scores: Scores) -> None:
    first, second, _ = scores
    spoiled = Scores([second, first._replace(mean=999.5)], scores.scorer, scores.tasks, scores.stats)
    with ab.Archive(path) as archive:
        with pytest.raises(ab.ArcbattError, match="does not hold"):
            archive.add_scores(spoiled)
        archive.commit()
        assert len(archive) == 0


def test_what_was_scored_on_other_terms_is_not_found(path: Path, scores: Scores) -> None:
    scorer, task = scores.scorer, scores.tasks[0]
    with ab.Archive(path) as archive:
        archive.add_scores(scores)
        for other in (
            Scorer(scorer.differs[1:]),
            Scorer(scorer.differs, on_failure="fail"),
            Scorer(scorer.differs, limits=ab.Limits(items=50_000)),
        ):
            assert archive.find_score(SOLVERS[0], task, other) is None
        assert archive.find_score(SOLVERS[0], replace(task, test=()), scorer) is None
        assert archive.find_score(SOLVERS[0], task, Scorer(scorer.differs, threads=1)) is not None
        assert archive.find_score(SOLVERS[0], task, Scorer(scorer.differs[::-1])) is not None


def test_another_version_of_the_language_does_not_find_them(
    path: Path, scores: Scores, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ab.Archive(path) as archive:
        archive.add_scores(scores)
        monkeypatch.setattr("arcbatt.archive.terms.__version__", "0.0.9")
        assert language_version().startswith("0.0.9+")
        first, *_ = scores
        assert archive.find_score(first.program, first.task, scores.scorer) is None
        archive.add_scores(scores)
        assert archive.find_score(first.program, first.task, scores.scorer) == first


def test_the_score_of_a_program_with_an_own_op_goes_with_the_source_of_the_op(
    path: Path, scores: Scores
) -> None:
    def one(grid: "Grid") -> "Grid":  # type: ignore[name-defined]  # noqa: F821
        return grid[::-1]

    before = language_version()
    text = "def called(I): return turned(I)\ndef bound(I): return compose(turned, turned)(I)"
    with ab.Archive(path) as archive:
        ab.register_op(one, name="turned")
        try:
            solvers = ab.parse_programs(text)
            own = score(solvers, scores.tasks, pairs="all")
            assert language_version() == before
            archive.add_scores(own)
            first, second = own
            assert archive.find_score(first.program, first.task, own.scorer) == first
            assert archive.find_score(second.program, second.task, own.scorer) == second
            assert archive.program("called").program == solvers[0]
        finally:
            ab.unregister_op("turned")
        stored = archive.program("called")
        assert "turned(I)" in stored.source_text
        with pytest.raises(ab.ArcbattError, match="uses 'turned', an op of your own"):
            _ = stored.program


@pytest.mark.process
def test_an_own_op_with_another_source_is_another_op(path: Path, scores: Scores, tmp_path: Path) -> None:
    task = scores.tasks[0]
    with ab.Archive(path) as archive:
        for body in ("return grid[::-1]", "return grid[::-1]  # changed"):
            space: dict[str, object] = {}
            file = tmp_path / "ops.py"
            file.write_text(f"def turned(grid: 'Grid') -> 'Grid':\n    {body}\n")
            exec(compile(file.read_text(), str(file), "exec"), space)  # noqa: S102
            ab.register_op(space["turned"])  # type: ignore[type-var]
            try:
                (program,) = ab.parse_programs("def called(I): return turned(I)")
                assert archive.known(task, ab.Terms(), [program]).missing == [program]
                archive.add(ab.run(program, task, "all"))
                assert archive.known(task, ab.Terms(), [program]).missing == []
            finally:
                ab.unregister_op("turned")
        assert len(archive) == 1


def test_a_score_file_is_imported_with_its_programs(path: Path, scores: Scores) -> None:
    with ab.Archive(path) as archive:
        done = archive.import_file(SCORE_FILE)
        assert (done.programs, done.results, done.refused) == (3, 3, [])
        found = {result.name: result for result in archive.results()}
        for each in scores:
            result = found[each.program.name]
            assert (result.program.root, result.verdicts) == (each.program.root, each.verdicts)
            assert result.mean == each.mean
            assert result.terms.differs == tuple(sorted(differ.hash for differ in scores.scorer.differs))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"terms": "0123456789abcdef"}, "was made on other terms"),
        ({"source": ""}, "has no source"),
        ({"program": "00" * 16}, "does not have the hash"),
        ({"verdicts": [True]}, "one verdict for each sample"),
        ({"verdicts": [1, "NONE"]}, "no line of an archive"),
        ({"task": "ffffffff"}, "there is no task ffffffff"),
    ],
)
def test_a_score_that_nobody_can_place_is_refused_by_its_line(
    path: Path, tmp_path: Path, change: dict[str, object], reason: str
) -> None:
    lines = [json.loads(line) for line in SCORE_FILE.read_text("utf-8").splitlines()]
    lines[1] |= change
    file = tmp_path / "scores.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with ab.Archive(path) as archive:
        done = archive.import_file(file)
        assert done.results == 2
        (refused,) = done.refused
        assert refused.startswith(f"{file}:2: ")
        assert reason in refused
