"""Programs as text of their graphs, for what no source says or what must be read fast."""

import json
from collections.abc import Sequence

from arcbatt.dsl.encoding import decode, encode
from arcbatt.json_lines import canonical
from arcbatt.program.graph import Node, from_rows


def graph_text(nodes: Sequence[Node]) -> str:
    """Nodes as JSON: of each the kind, the head, and the places of its arguments among those before it."""
    place = {node: position for position, node in enumerate(nodes)}
    return canonical(
        [
            [
                node.kind,
                encode(node.head) if node.kind == "constant" else node.head,
                [place[arg] for arg in node.args],
            ]
            for node in nodes
        ]
    )


def graph_from_text(text: str) -> Node:
    """The last node of a graph as `graph_text` writes it; anything else raises an error."""
    rows = json.loads(text)
    return from_rows((kind, decode(head) if kind == "constant" else head, args) for kind, head, args in rows)[
        -1
    ]
