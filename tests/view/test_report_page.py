"""The page of a report in a real browser: lists, pages of tasks and programs, keys, links, hostile names."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import arcbatt as ab
from support.browser import Open
from support.reports import results

PHONE = {"width": 390, "height": 844}
VIEWS = {
    "tasks": "",
    "programs": "#view=programs",
    "pairs": "#view=pairs",
    "task": "#task=68b16354",
    "failing": "#task=017c7c7b&program=solve_017c7c7b",
    "program": "#program=turn",
}
HOSTILE = [
    "</script><script>window.hacked = 1</script>",
    '"><img src=x onerror="window.hacked = 1">',
    "<!--<script>",
    "javascript:window.hacked=1",
    "__proto__",
    "two\u2028lines\u2029more",
    "half \ud800 of a letter",
    "'; window.hacked = 1; '",
    "{{script}}",
]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of four programs on four tasks."""
    file = tmp_path_factory.mktemp("small") / "report.html"
    ab.report(results(), file)
    return file


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of more than 10,000 pairs."""
    file = tmp_path_factory.mktemp("large") / "report.html"
    programs = [program for program in ab.load_programs(LIBRARY) if program.kind == "solver"]
    ab.report(ab.run(programs, ab.load_tasks("arc1/training")[: 1 + 10_000 // len(programs)], "all"), file)
    return file


LIBRARY = Path(ab.__file__).parent / "library" / "solvers_4_6.py"


def rows(page: Any) -> list[str]:
    """The names of the rows in the page, in their order."""
    return [str(name) for name in page.locator("#rows a").evaluate_all("all => all.map(a => a.ariaLabel)")]


def go(page: Any, hash: str) -> None:
    """Follow a link within the page."""
    page.evaluate("hash => { location.hash = hash; route(); }", hash)


def focused(page: Any) -> str:
    """The name of the row that has the focus."""
    return str(page.evaluate("document.activeElement.ariaLabel"))


def test_page_opens_with_a_summary_and_all_tasks(small: Path, open_page: Open) -> None:
    page = open_page(small)
    assert page.inner_text("h1") == "2 of 4 tasks solved"
    assert page.inner_text("#count") == "4 tasks"
    assert rows(page) == ["task 00d62c1b", "task 017c7c7b", "task 67a3c6ac", "task 68b16354"]
    assert page.locator("#rows svg.grid").count() == 8
    assert "ZERO" in page.inner_text(".failures")


def test_filter_shows_tasks_that_fit(small: Path, open_page: Open) -> None:
    page = open_page(small)
    page.select_option("#filter", "unsolved")
    assert rows(page) == ["task 00d62c1b", "task 017c7c7b"]
    assert page.inner_text("#count") == "2 of 4 tasks"
    page.select_option("#filter", "own")
    assert rows(page) == ["task 017c7c7b"]


def test_kind_of_failure_leads_to_the_pairs_that_fail_so(small: Path, open_page: Open) -> None:
    page = open_page(small)
    page.click(".failures a")
    page.wait_for_selector("#count:has-text('pairs')")
    assert page.inner_text("#count") == "4 of 16 pairs"
    assert {name.split()[0] for name in rows(page)} == {"solve_017c7c7b"}


@pytest.mark.parametrize(
    ("words", "found"),
    [("68b", "68b16354"), ("vmirror", "67a3c6ac"), ("divide zero", "017c7c7b")],
)
def test_search_finds_ids_names_and_sources(small: Path, open_page: Open, words: str, found: str) -> None:
    page = open_page(small)
    page.fill("#search", words)
    assert rows(page) == [f"task {found}"]


def test_search_without_a_match_says_so(small: Path, open_page: Open) -> None:
    page = open_page(small)
    page.fill("#search", "nowhere")
    assert page.is_visible("#nothing")
    assert page.inner_text("#count") == "0 of 4 tasks"
    page.keyboard.press("Escape")
    assert len(rows(page)) == 4


def test_column_sorts_both_ways_and_says_how(small: Path, open_page: Open) -> None:
    page = open_page(small)
    head = page.get_by_role("columnheader", name="Task", exact=True)
    assert head.get_attribute("aria-sort") == "ascending"
    before = rows(page)
    head.get_by_role("button").click()
    assert rows(page) == before[::-1]
    assert (
        page.get_by_role("columnheader", name="Task", exact=True).get_attribute("aria-sort") == "descending"
    )
    page.get_by_role("button", name="Solved by").click()
    assert rows(page)[0] in ("task 67a3c6ac", "task 68b16354")


def test_task_shows_outputs_beside_expected_ones_with_differing_cells_marked(
    small: Path, open_page: Open
) -> None:
    page = open_page(small, "#task=00d62c1b")
    assert page.inner_text("#details h1").split() == ["Task", "00d62c1b", "○", "not", "solved"]
    assert page.locator(".sample").count() == 6
    assert page.locator(".sample").first.locator("figure").count() == 3
    assert page.locator(".panel.wrong .cross").count() > 0
    assert "differ" in page.locator(".panel.wrong svg").first.get_attribute("aria-label")
    page.keyboard.press("d")
    assert "*" in page.locator(".panel.wrong pre").first.inner_text()


def test_exact_output_equals_the_expected_grid(small: Path, open_page: Open) -> None:
    page = open_page(small, "#task=67a3c6ac&program=solve_67a3c6ac")
    drawn = page.locator(".sample").first.locator("svg").evaluate_all("all => all.map(svg => svg.innerHTML)")
    assert drawn[1] == drawn[2] != drawn[0]


def test_failure_is_told_with_its_kind_and_its_place(small: Path, open_page: Open) -> None:
    page = open_page(small, VIEWS["failing"])
    assert page.inner_text(".panel.wrong figcaption >> nth=0") == "✗ ZERO"
    assert page.inner_text(".where >> nth=0") == "divide(height(I), 0)"


def test_program_shows_its_source_and_its_tasks(small: Path, open_page: Open) -> None:
    page = open_page(small, "#program=turn")
    assert "rot90(I)" in page.inner_text(".source")
    assert page.locator("aside li").count() == 4
    page.click("aside li a")
    assert "task=" in page.url


def test_program_of_an_archive_shows_what_it_was_made_of(tmp_path: Path, open_page: Open) -> None:
    parent, child = ab.parse_programs("def parent(I): return vmirror(I)\ndef child(I): return rot90(I)")
    with ab.Archive(tmp_path / "mine.db") as archive:
        archive.add(ab.run([parent, child], ab.load_tasks("67a3c6ac"), "all"))
        archive.add_programs([child.altered(changes=("vmirror became rot90",))], {child.hash: [parent.hash]})
    ab.report(tmp_path / "mine.db", tmp_path / "report.html")
    page = open_page(tmp_path / "report.html", "#program=child")
    assert page.inner_text(".lineage").split("\n")[-2:] == ["parent", "vmirror became rot90"]
    page.click(".lineage a")
    page.wait_for_selector("#details h1:has-text('parent')")
    assert "Made into" in page.inner_text(".lineage")
    assert page.locator(".pictures svg").count() == 2


SYMMETRIC = ((1, 2), (1, 2))
MIRRORED = ab.Task(
    "mirrored",
    demo=(ab.Sample(SYMMETRIC, ((2, 1), (2, 1))),),
    test=(ab.Sample(((1, 2), (3, 4)), ((4, 3), (2, 1))),),
)


def ranked_names(page: Any) -> tuple[str, list[str]]:
    """The best program of the first task of a page, and all its programs, best first."""
    best = page.evaluate("programs[pairs.program[tasks[0].best]].name")
    return best, page.evaluate("bestFirst(tasks[0]).map((pair) => programs[pairs.program[pair]].name)")


def test_programs_of_a_search_are_ranked_as_the_search_ranks_them(tmp_path: Path, open_page: Open) -> None:
    """Both programs fit, and the one with the longer description is right on the test input."""
    right, short = ab.parse_programs("def right(I): return rot180(I)\ndef short(I): return vmirror(I)")
    found = [
        ab.Answer(MIRRORED, program, cost, 1, 1, "search", (program(((1, 2), (3, 4))),), {})
        for program, cost in ((short, 4), (right, 9))
    ]
    answers = ab.TaskAnswers(MIRRORED, tuple(found))
    lines = tmp_path / "lines.jsonl"
    lines.write_text(json.dumps(answers.as_json()) + "\n")
    solution = ab.Solution((MIRRORED,), found={"mirrored": answers})
    for number, source in enumerate((solution, lines)):
        file = tmp_path / f"{number}.html"
        ab.report(source, file, tasks=[MIRRORED])
        assert ranked_names(open_page(file)) == ("short", ["short", "right"])


def test_programs_are_ranked_as_in_an_archive(tmp_path: Path, open_page: Open) -> None:
    """Exact demo samples count more than exact test samples, and of equals the shorter program is first."""
    programs = ab.parse_programs(
        "def longer(I): return hmirror(hmirror(vmirror(I)))\ndef fits(I): return vmirror(I)\n"
        "def turned(I): return rot90(I)\ndef fails(I): return divide(size(I), ZERO)\n"
        "def tests_only(I): return rot180(I)"
    )
    sample = ab.Sample(((5, 6), (7, 8)), ((6, 5), (8, 7)))
    task = ab.Task("t", demo=(sample, sample), test=(ab.Sample(((1, 2), (3, 4)), ((4, 3), (2, 1))),))
    run = ab.run(programs, task, "all", partial_scores=True)
    with ab.Archive(tmp_path / "mine.db") as archive:
        archive.add(run)
        names = [result.name for result in archive.best("t")]
    assert names == ["fits", "longer", "turned", "tests_only", "fails"]
    for number, source in enumerate((run, tmp_path / "mine.db")):
        file = tmp_path / f"{number}.html"
        ab.report(source, file)
        assert ranked_names(open_page(file)) == (names[0], names)


def test_keys_go_through_the_list_open_a_task_and_come_back(small: Path, open_page: Open) -> None:
    page = open_page(small)
    page.keyboard.press("j")
    assert focused(page) == "task 00d62c1b"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("j")
    page.keyboard.press("k")
    assert focused(page) == "task 017c7c7b"
    page.keyboard.press("Enter")
    page.wait_for_selector("#details h1")
    assert page.url.endswith("#task=017c7c7b")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("#details h1:has-text('67a3c6ac')")
    page.keyboard.press("Escape")
    page.wait_for_selector("#listing:not([hidden])")
    assert focused(page) == "task 67a3c6ac"


def test_slash_searches_and_question_mark_lists_the_keys(small: Path, open_page: Open) -> None:
    page = open_page(small)
    page.keyboard.press("/")
    page.wait_for_selector("#search:focus")
    page.keyboard.type("68b?")
    assert page.input_value("#search") == "68b?"
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    assert page.is_visible("dialog")
    page.keyboard.press("Escape")
    assert not page.is_visible("dialog")


def test_address_tells_filter_search_and_sorting(small: Path, open_page: Open) -> None:
    page = open_page(small, "#view=pairs&filter=unsolved&search=68b+mirror&sort=-task")
    assert rows(page) == [
        "solve_67a3c6ac on 68b16354",
        "solve_68b16354 on 67a3c6ac",
        "solve_68b16354 on 017c7c7b",
        "solve_68b16354 on 00d62c1b",
    ]
    page.select_option("#filter", "solved")
    assert "filter=solved" in page.url
    again = open_page(small, "#" + page.url.partition("#")[2])
    assert rows(again) == rows(page)


def test_unknown_address_shows_the_tasks(small: Path, open_page: Open) -> None:
    page = open_page(small, "#task=nowhere&view=nothing")
    assert page.inner_text("#count") == "4 tasks"


@pytest.mark.parametrize("name", ["__proto__", "constructor", "toString", "hasOwnProperty"])
@pytest.mark.parametrize("part", ["view", "task", "program", "filter", "sort"])
def test_names_that_every_object_has_are_unknown_in_an_address(
    small: Path, open_page: Open, part: str, name: str
) -> None:
    page = open_page(small, f"#{part}={name}")
    assert page.inner_text("#count") == "4 tasks"
    page.keyboard.press("2")
    page.locator("#count", has_text="4 programs").wait_for()


def test_dark_mode_follows_the_system(small: Path, open_page: Open) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    light, dark = (open_page(small, color_scheme=scheme).evaluate(ground) for scheme in ("light", "dark"))
    assert light == "rgb(255, 255, 255)"
    assert dark == "rgb(15, 19, 24)"


@pytest.mark.parametrize("width", [PHONE["width"], 560, 700, 800, 900, 960, 1100])
def test_no_width_needs_scrolling_sideways(small: Path, open_page: Open, width: int) -> None:
    page = open_page(small, width=width, height=PHONE["height"])
    for view in VIEWS.values():
        go(page, view)
        assert page.evaluate("document.documentElement.scrollWidth") == width, view


@pytest.mark.parametrize("size", [{}, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation(small: Path, open_page: Open, size: dict[str, int], scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    page = open_page(small, color_scheme=scheme, **size)
    for view in VIEWS.values():
        go(page, view)
        found = axe.Axe().run(page).response["violations"]
        assert [(each["id"], [node["html"] for node in each["nodes"]]) for each in found] == [], view


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A report in which programs, tasks and the file have names that would run, if they were HTML."""
    folder = tmp_path_factory.mktemp("hostile")
    source = folder / "<img src=x onerror=alert(1)>.jsonl"
    lines = [
        {"program": name, "task": other, "demo": [True], "test": [False], "failures": {}, "key": name}
        for name in HOSTILE
        for other in HOSTILE
    ]
    source.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    ab.report(source, folder / "report.html")
    return folder / "report.html"


@pytest.mark.parametrize("view", ["tasks", "programs", "pairs"])
def test_hostile_names_are_shown_and_nothing_runs(hostile: Path, open_page: Open, view: str) -> None:
    page = open_page(hostile, f"#view={view}")
    for name in HOSTILE:
        page.fill("#search", name.replace("\ud800", "").replace("\u2028", " ").replace("\u2029", " "))
    page.fill("#search", "window.hacked")
    assert "window.hacked" in page.inner_text("#rows")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_selector("#details h1")
    assert page.evaluate("window.hacked") is None
    assert page.locator("img").count() == 0
    assert page.locator("script:not([type])").count() == 1


def test_link_to_a_hostile_name_opens_its_page(hostile: Path, open_page: Open) -> None:
    page = open_page(hostile, "#view=programs")
    for place in range(len(HOSTILE)):
        go(page, page.evaluate("place => hrefTo(LISTS.programs.link(place))", place))
        assert page.evaluate("opened.program.number") == place


def test_ten_thousand_rows_are_there_and_few_of_them_in_the_page(large: Path, open_page: Open) -> None:
    page = open_page(large, "#view=pairs")
    total = page.evaluate("pairs.length")
    assert total > 10_000
    assert page.get_attribute("#table", "aria-rowcount") == str(total + 1)
    seen = set(rows(page))
    for _ in range(20):
        page.evaluate("scrollBy(0, 20 * current.height)")
        page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert page.locator("#rows > *").count() < 60
        seen |= set(rows(page))
    assert len(seen) > 300
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    page.wait_for_selector(f'[aria-rowindex="{total + 1}"]')


def test_focus_goes_on_where_the_list_was_left(large: Path, open_page: Open) -> None:
    page = open_page(large, "#view=pairs")
    for _ in range(40):
        page.keyboard.press("j")
    name = focused(page)
    page.keyboard.press("Enter")
    page.wait_for_selector("#details h1")
    page.keyboard.press("Escape")
    page.wait_for_selector("#listing:not([hidden])")
    assert focused(page) == name


def test_paper_gets_the_first_rows_of_a_list(large: Path, open_page: Open) -> None:
    page = open_page(large, "#view=pairs")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("#rows > *").count() == 300
    assert page.evaluate("document.getElementById('cut').textContent").startswith(
        "These are the first 300 of"
    )
