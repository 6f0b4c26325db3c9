"""Fixtures of the tests of what a person sees."""

from support.browser import browser as browser
from support.browser import open_page as open_page
