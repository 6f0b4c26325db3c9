"""Pictures as PNG, drawn here and written with zlib; titles and digits are left out."""

import struct
import zlib
from collections.abc import Sequence

from arcbatt.view.svg import CELL, COLORS, LINE, OTHER_COLOR, Location, Picture, fill, layout

SIGNATURE = b"\x89PNG\r\n\x1a\n"
BLACK, WHITE = "#000000", "#ffffff"
PALETTE = tuple(dict.fromkeys([WHITE, BLACK, LINE, OTHER_COLOR, *COLORS]))  # the first is the background
INDEXED = 3  # the type of a PNG whose pixels are indices of a palette
RADIUS = 5  # of a diamond, in pixels
ARROW = 10  # its length

Pixels = list[bytearray]


def png(rows: Sequence[Sequence[Picture]]) -> bytes:
    """Rows of pictures as the content of a PNG file; an arrow replaces the sign of a picture.

    >>> png([[Picture("", {(0, 0): 1}, 1, 1)]])[1:4]
    b'PNG'
    """
    placed, width, height = layout(rows)
    pixels = [bytearray(round(width)) for _ in range(height)]
    for picture, left, top, sign_at in placed:
        _draw(pixels, picture, round(left), top)
        if sign_at is not None and picture.sign:
            _draw_arrow(pixels, *map(round, sign_at))
    return encoded(pixels)


def encoded(pixels: Sequence[bytes | bytearray]) -> bytes:
    """Rows of pixels, indices of the palette, as the content of a PNG file."""
    header = struct.pack(">IIBBBBB", len(pixels[0]), len(pixels), 8, INDEXED, 0, 0, 0)
    colors = bytes.fromhex("".join(color.removeprefix("#") for color in PALETTE))
    lines = b"".join(b"\0" + bytes(row) for row in pixels)  # 0: the row is not filtered
    chunks = [(b"IHDR", header), (b"PLTE", colors), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b"")]
    return SIGNATURE + b"".join(_chunk(name, content) for name, content in chunks)


def _chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def _draw(pixels: Pixels, picture: Picture, left: int, top: int) -> None:
    for x in range(0, picture.width * CELL + 1, 4):  # dots around open cells; closed ones have lines
        for y in (0, picture.height * CELL):
            _fill(pixels, left + x, top + y, 1, LINE)
    for y in range(0, picture.height * CELL + 1, 4):
        for x in (0, picture.width * CELL):
            _fill(pixels, left + x, top + y, 1, LINE)
    for (i, j), color in picture.cells.items():
        x, y = left + j * CELL, top + i * CELL
        _fill(pixels, x, y, CELL + 1, LINE)
        if color is None:
            _fill(pixels, x + 1, y + 1, CELL - 1, WHITE)
            _fill(pixels, x + CELL // 4, y + CELL // 4, CELL // 2 + 1, LINE)
        else:
            _fill(pixels, x + 1, y + 1, CELL - 1, fill(color))
    for i, j in picture.marked:
        _draw_diamond(pixels, (left + j * CELL + CELL // 2, top + i * CELL + CELL // 2))


def _fill(pixels: Pixels, x: int, y: int, side: int, color: str) -> None:
    for row in pixels[y : y + side]:
        row[x : x + side] = bytes([PALETTE.index(color)]) * side


def _draw_diamond(pixels: Pixels, center: Location) -> None:
    """A white diamond with a black edge, visible on every colour."""
    for dy in range(-RADIUS, RADIUS + 1):
        for dx in range(abs(dy) - RADIUS, RADIUS - abs(dy) + 1):
            edge = abs(dx) + abs(dy) == RADIUS
            _fill(pixels, center[0] + dx, center[1] + dy, 1, BLACK if edge else WHITE)


def _draw_arrow(pixels: Pixels, x: int, y: int) -> None:
    """An arrow to the right, around a centre."""
    for step in range(ARROW):
        _fill(pixels, x - ARROW // 2 + step, y, 1, LINE)
    for step in range(ARROW // 3 + 1):
        for side in (-step, step):
            _fill(pixels, x + ARROW // 2 - 1 - step, y + side, 1, LINE)
