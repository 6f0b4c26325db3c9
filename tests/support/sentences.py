"""What an error of the package says: one sentence that is fit for a user."""

import re

import arcbatt as ab

ADDRESS = re.compile(r"0x[0-9a-f]{6,}")
PRIVATE = re.compile(r"(?<![\w'\"])_[a-z]\w*\(")
LONGEST = 600


def require_one_sentence(error: ab.ArcbattError) -> None:
    """Refuse a message of several lines, with an address in memory or the name of a private function."""
    sentence = str(error)
    assert sentence
    assert "\n" not in sentence, sentence
    assert "Traceback" not in sentence, sentence
    assert not ADDRESS.search(sentence), sentence
    assert not PRIVATE.search(sentence), sentence
    assert len(sentence) < LONGEST, sentence
