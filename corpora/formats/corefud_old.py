"""CorefUD 0.1 and 0.2: mentions as attributes in MISC, turned into the brackets of today.

1. The word that heads a mention has `ClusterId=c1|MentionSpan=3-5,7`, and may have `ClusterType`,
   `MentionMisc`, `Bridging` and `SplitAnte` (or `Split`). Where a word heads several mentions, the
   keys are numbered: `ClusterId[1]`, `MentionSpan[1]`, `ClusterId[2]` ...
2. A span lists IDs of words and empty nodes, or ranges of them. Without one it is the word alone.
3. `ClusterId=c1|ClusterType=t|MentionMisc=m` become `Entity=(c1-t-HEAD-m`; what these may not hold
   is escaped (`%2D`). `Bridging=c2:rel` becomes `Bridge=c2<c1:rel`, and `SplitAnte=c2+c3` (or with
   a comma) `SplitAnte=c2<c1,c3<c1`.
4. A sentence with `Entity` is left as it is, whatever else it has, and so is all other MISC.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from corefmill.corpora.formats import corefud_entity
from corefmill.corpora.formats.corefud_entity import RowError, Span, escape

_KEY = re.compile(
    r"(ClusterId|ClusterType|MentionSpan|MentionMisc|Bridging|SplitAnte|Split)(?:\[(\d+)\])?"
)


def modernize(rows: Sequence[str]) -> Sequence[str]:
    """Return a sentence's rows with mentions of CorefUD 0.x as brackets; other rows unchanged.

    Raises `RowError` for a span that is not in the sentence, and mentions that brackets cannot
    hold.
    """
    if not any("ClusterId" in row for row in rows) or any("Entity=(" in row for row in rows):
        return rows
    from corefmill.corpora.words import join_neighbours  # takes longer to import than a score takes

    table = [row.split("\t") for row in rows]
    nodes = {columns[0]: row for row, columns in enumerate(table) if "-" not in columns[0]}
    places = {name: place for place, name in enumerate(nodes)}
    spans: list[Span] = []
    for row, columns in enumerate(table):
        if len(columns) != 10 or columns[0] not in places:
            continue
        # First, the attributes of each mention, apart from the rest of MISC.
        mentions: dict[str, dict[str, str]] = {}
        rest: list[str] = []
        for item in columns[9].split("|"):
            name, _, value = item.partition("=")
            if key := _KEY.fullmatch(name):
                mentions.setdefault(key[2] or "", {})[key[1]] = value
            elif item != "_":
                rest.append(item)
        # Second, each mention's span and relations, in today's notation.
        relations: dict[str, list[str]] = {"Bridge": [], "SplitAnte": []}
        for values in mentions.values():
            entity = escape(values.get("ClusterId", ""))
            if not entity:
                raise RowError(f"{next(iter(values))} without a ClusterId", row)
            span = values.get("MentionSpan") or columns[0]
            covered = _find_nodes(span, places, row)
            here = places[columns[0]]
            head = covered.index(here) + 1 if here in covered else 1
            # A colon or comma of MentionMisc separates attributes there as well as here.
            misc = values.get("MentionMisc", "").replace(" ", ",")
            other = re.sub(r"[^:,]+", lambda found: escape(found[0]), misc)
            attributes = f"-{escape(values.get('ClusterType', ''))}-{head}" + f"-{other}" * bool(
                other
            )
            parts = join_neighbours([(node, node + 1) for node in range(len(nodes))], covered)
            spans.append(Span(entity, attributes, tuple(parts)))
            for target in filter(None, re.split(r"[+,]", values.get("Bridging", ""))):
                name, colon, kind = target.partition(":")
                relations["Bridge"].append(f"{escape(name)}<{entity}{colon}{escape(kind)}")
            for name in re.split(r"[+,]", values.get("SplitAnte", values.get("Split", ""))):
                if name:
                    relations["SplitAnte"].append(f"{escape(name)}<{entity}")
        rest += [f"{key}={','.join(pairs)}" for key, pairs in relations.items() if pairs]
        columns[9] = "|".join(rest)
    # Last, the brackets. An ID that is no word has none.
    try:
        cells = corefud_entity.make(spans, len(nodes), repeats=True)
    except ValueError as error:
        raise RowError(str(error), 0) from None
    for row, cell in zip(nodes.values(), cells, strict=True):
        if len(table[row]) == 10:
            items = [*filter(None, [cell and f"Entity={cell}", table[row][9]])]
            table[row][9] = "|".join(items) or "_"
    return ["\t".join(columns) for columns in table]


def _find_nodes(span: str, places: dict[str, int], row: int) -> list[int]:
    """Find the nodes of a span such as `3-5,7.1`, in their order."""
    found: set[int] = set()
    for part in span.split(","):
        first, dash, last = part.partition("-")
        start, end = places.get(first), places.get(last if dash else first)
        if start is None or end is None or end < start:
            raise RowError(f"MentionSpan={span[:40]} is not in its sentence", row)
        found.update(range(start, end + 1))
    return sorted(found)
