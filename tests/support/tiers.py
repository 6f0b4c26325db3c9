"""The tiers of the tests: each test is in one, so that those can be run for which there is time.

A mark at a test says its tier. Where it has none, a fixture that it uses says it, or else the table of paths.
All others are fast.
"""

from collections.abc import Iterable

FAST, SLOW, PROCESS, CLUSTER, BROWSER = TIERS = ("fast", "slow", "process", "cluster", "browser")
BY_FIXTURE = {
    "process": PROCESS,
    "site": PROCESS,  # of the documentation, built by mkdocs
    "ray": CLUSTER,
    "cluster": CLUSTER,
    "browser": BROWSER,
    "open_page": BROWSER,
}
# Files and folders below tests/. Where a file mixes tiers, its tests have marks.
BY_PATH = {
    "cluster": CLUSTER,
    "core": PROCESS,
    "notebooks": PROCESS,
    "bench/test_elements.py": SLOW,
    "bench/test_measures.py": PROCESS,
    "cli/test_full_disk.py": PROCESS,
    "cli/test_killing.py": PROCESS,
    "cli/test_shards.py": PROCESS,
    "engine/test_nvrtc.py": PROCESS,
    "engine/test_op_records.py": PROCESS,
    "engine/test_own_work.py": PROCESS,
    "engine/test_sample_runner.py": PROCESS,
    "engine/test_set_bodies.py": SLOW,
    "engine/test_workers.py": PROCESS,
    "library/test_golden.py": SLOW,
    "properties/test_batt_styles.py": SLOW,
    "properties/test_mutation.py": SLOW,
    "properties/test_random_programs.py": SLOW,
    "properties/test_traits.py": SLOW,
    "properties/test_worst.py": PROCESS,
    "test_foreign_objects.py": SLOW,
    "test_wrong_uses.py": SLOW,
}
STARTS_A_PROCESS = {"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system"}


def tier_of(path: str, fixtures: Iterable[str]) -> str:
    """The tier of a test without a mark, from the path of its file below tests/ and its fixtures."""
    by_fixture = {BY_FIXTURE[name] for name in fixtures if name in BY_FIXTURE}
    if by_fixture:
        return max(by_fixture, key=TIERS.index)
    return _by_path(path) or FAST


def is_never_fast(path: str) -> bool:
    """Whether the table says that no test of a file or folder is fast."""
    return _by_path(path) is not None


def _by_path(path: str) -> str | None:
    parts = path.split("/")
    above = ("/".join(parts[:count]) for count in range(len(parts), 0, -1))
    return next((BY_PATH[each] for each in above if each in BY_PATH), None)


class NoProcess:
    """Refuses processes while a fast or slow test runs."""

    def __init__(self) -> None:
        self.tier = ""

    def __call__(self, event: str, _: object) -> None:
        """Answer an audit event of Python."""
        if self.tier in (FAST, SLOW) and event in STARTS_A_PROCESS:
            raise RuntimeError(f"a {self.tier} test starts a process; mark it: @pytest.mark.process")
