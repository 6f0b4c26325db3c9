"""Hooks of mkdocs: the pages of the site that are written elsewhere, or come from the op table.

GitHub shows README.md, CONTRIBUTING.md, CHANGELOG.md and SECURITY.md at the root of the project; on the site
they are pages among the others. Links between all pages are written for GitHub and translated here.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from arcbatt.view import language

ROOT = Path(__file__).parents[1]
OF_THE_ROOT = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
}
LINK = re.compile(r"(?<=\]\()(?!\w+:)([^)#\s]+)(?=[)#])")
NOTES = {kind.name: kind.meaning for kind in language.PROPERTIES}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are not in docs/."""
    for name, page in OF_THE_ROOT.items():
        files.append(File.generated(config, page, content=(ROOT / name).read_text("utf-8")))
    files.append(File.generated(config, "ops.md", content="\n".join(ops_page())))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let links lead to the pages of the site."""
    return LINK.sub(lambda link: site_link(link[1]), markdown)


def site_link(link: str) -> str:
    """A link between files of the project as one between pages of the site.

    >>> site_link("docs/runs.md"), site_link("../README.md"), site_link("solve.md")
    ('runs.md', 'index.md', 'solve.md')
    """
    name = link.removeprefix("../").removeprefix("docs/")
    return OF_THE_ROOT.get(name, name)


def ops_page() -> Iterator[str]:
    """The lines of a page with every op."""
    yield "---\nhide: [toc]\n---\n# All ops\n"
    yield "The table of the ops, as `arcbatt ops` and `arcbatt ops NAME` print it. "
    yield "[The language](language.md) has the rules that hold for all of them, and says what "
    yield "[work](language.md#work) is.\n"
    groups = language.groups()
    for name, records in groups.items():
        links = ", ".join(f"[`{record.name}`](#{record.name})" for record in records)
        yield f"- [**{name}**](#{group_anchor(name)}): {links}"
    for name, records in groups.items():
        yield f"\n## Group {name} {{ #{group_anchor(name)} }}\n"
        for record in records:
            yield from op_entry(language.as_json(record))


def group_anchor(name: str) -> str:
    """The anchor of a group, whose name may be that of an op."""
    return f"group-{name}"


def op_entry(op: dict[str, Any]) -> Iterator[str]:
    """The lines of one op: signature, meaning, example, notes."""
    notes = [f"work: {op['costs']}", *(meaning for name, meaning in NOTES.items() if op[name])]
    if op["restricts"]:
        notes.append(f"restricts [`{op['restricts']}`](#{op['restricts']})")
    if op["aliases"]:
        notes.append(f"also called {', '.join(f'`{alias}`' for alias in op['aliases'])}")
    yield f"### {op['name']} {{ #{op['name']} }}\n"
    yield f"`{op['signature']}`\n"
    yield f"{op['summary']}\n"
    if op["example"]:
        yield f"```python\n{op['example']}\n```\n"
    yield f"<small>{'. '.join(f'{note[0].upper()}{note[1:]}' for note in notes)}.</small>\n"
