"""Pictures read back: the cells that an SVG or a PNG shows."""

import re
import struct
import zlib
from xml.etree import ElementTree as ET

from arcbatt.view.svg import COLORS, Location

SPACE = "{http://www.w3.org/2000/svg}"
RECTANGLE = re.compile(r"M(\d+) (\d+)h(\d+)v1h-\3z")
SPOT = re.compile(r"M(\d+)\.25 (\d+)\.25h")
DIAMOND = re.compile(r"M(\d+)\.5 (\d+)\.2l")


def locations(pattern: re.Pattern[str], drawing: str) -> set[Location]:
    """The cells, (row, column), in which something is drawn."""
    return {(int(i), int(j)) for j, i in pattern.findall(drawing)}


def cells_of_svg(text: str) -> dict[Location, int | None]:
    """The cells of an inline SVG; a location has no colour."""
    cells: dict[Location, int | None] = {}
    for path in ET.fromstring(text).iter(f"{SPACE}path"):
        drawing = path.get("d", "")
        if path.get("fill") == "none":  # lines
            continue
        for j, i, count in RECTANGLE.findall(drawing):
            color = path.get("fill", "")
            number = COLORS.index(color) if color in COLORS else len(COLORS)  # told by its digits
            cells |= {(int(i), int(j) + step): number for step in range(int(count))}
        cells |= dict.fromkeys(locations(SPOT, drawing))
    for digits in ET.fromstring(text).iter(f"{SPACE}text"):
        cells[int(float(digits.get("y", ""))), int(float(digits.get("x", "")))] = int(digits.text or "")
    return cells


def marks_of_svg(text: str) -> set[Location]:
    """The cells of an inline SVG that have a diamond."""
    paths = ET.fromstring(text).iter(f"{SPACE}path")
    return {location for path in paths for location in locations(DIAMOND, path.get("d", ""))}


def pixels_of_png(content: bytes) -> list[list[str]]:
    """The colours of a PNG with a palette, checked as a reader would."""
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    chunks: dict[bytes, bytes] = {}
    place = 8
    while place < len(content):
        (size,) = struct.unpack_from(">I", content, place)
        name, body = content[place + 4 : place + 8], content[place + 8 : place + 8 + size]
        assert struct.unpack_from(">I", content, place + 8 + size) == (zlib.crc32(name + body),)
        chunks[name] = body
        place += 12 + size
    assert list(chunks) == [b"IHDR", b"PLTE", b"IDAT", b"IEND"]
    width, height, *rest = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert rest == [8, 3, 0, 0, 0]
    colors = [f"#{chunks[b'PLTE'][k : k + 3].hex()}" for k in range(0, len(chunks[b"PLTE"]), 3)]
    lines = zlib.decompress(chunks[b"IDAT"])
    assert len(lines) == height * (width + 1)
    rows = [lines[k : k + width + 1] for k in range(0, len(lines), width + 1)]
    assert all(row[0] == 0 for row in rows)
    return [[colors[number] for number in row[1:]] for row in rows]
