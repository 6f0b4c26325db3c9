"""A fragment as a complete page: one file, no network, light and dark, readable on a phone."""

from arcbatt.view.html import STYLE, element, escape

PAGE_STYLE = """<style>
:root { color-scheme: light dark }
body { font-family: system-ui, sans-serif; margin: 0 auto; max-width: 60rem; padding: .5rem 1rem 3rem }
h1 { font-size: 1.3rem; overflow-wrap: anywhere }
h2 { font-size: 1.1rem }
ul { padding-left: 1.2rem }
</style>"""


def page(title: str, body: str) -> str:
    """A page with a heading, which is text, and a body of HTML.

    >>> page("a < b", "<p>c</p>").count("a &lt; b")
    2
    """
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title>{STYLE}{PAGE_STYLE}"
    )
    main = element("main", element("h1", escape(title)) + element("div", body, class_="arcbatt"))
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>{main}</body></html>\n'
