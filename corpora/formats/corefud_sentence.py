"""A sentence of CoNLL-U as rows of ten columns, and as tokens with their extras.

What a `Sentence` has no place for is an `extra` here, JSON of the keys `comments`, `multiword`,
`empty`, `deps`, `misc` and `entity`; see rule 8 of corefud.py.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from conllu.exceptions import ParseException
from conllu.parser import DEFAULT_FIELDS, parse_id_value, parse_line

from corefmill.corpora.formats import corefud_entity
from corefmill.corpora.formats.corefud_entity import EntityError, RowError, Span
from corefmill.corpora.records import Document, Mention, Sentence, Token

_AS_IT_STANDS = {name: lambda line, i: line[i] for name in DEFAULT_FIELDS}
_KEYS = ("Entity", "NER", "SpaceAfter")
"""Keys of MISC that a record holds the values of; in `extra` the key alone marks the place."""
_NODE = re.compile(r"(\d{1,9})\.([1-9]\d{0,8})")
_ON_VERB = re.compile(r"OnVerb=([1-9]\d{0,8})")


def map_subjects_to_verbs(extra: dict[str, Any]) -> dict[str, int]:
    """Map IDs of dropped subjects' empty nodes in `extra` to their verbs (words from 0).

    Of several nodes for a word the first counts.
    """
    found: dict[int, tuple[int, int, str]] = {}
    for name, short in extra.get("empty", {}).items():
        node = _NODE.fullmatch(name)
        misc = "".join(short.split("\t")[8:]).split("|")
        for said in filter(None, map(_ON_VERB.fullmatch, misc)):
            word = int(said[1]) - 1
            if node is not None:
                place = (int(node[1]), int(node[2]), name)
                found[word] = min(place, found.get(word, place))
    return {name: word for word, (_, _, name) in found.items()}


@dataclass(slots=True)
class Nodes:
    """The words and empty nodes of a sentence, in their order.

    `words` gives a node's word (from 0), None for an empty node; `ids` their IDs. `verbs` are the
    words that show the dropped subjects at empty nodes, by node; no two nodes have the same.
    """

    words: list[int | None] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    verbs: dict[int, int] = field(default_factory=dict)
    _places: dict[int, int] = field(default_factory=dict)

    @property
    def places(self) -> dict[int, int]:
        """The node of each word, once all are there."""
        if not self._places:
            words = enumerate(self.words)
            self._places = {word: node for node, word in words if word is not None}
        return self._places

    def count_words_before(self, node: int) -> int:
        """Count the words before an empty node."""
        return int(self.ids[node].split(".")[0])

    def set_verbs(self, verbs: dict[str, int]) -> None:
        """Set the verbs from `map_subjects_to_verbs`, without those beyond the sentence."""
        size = len(self.words) - self.words.count(None)
        for node, name in enumerate(self.ids):
            if verbs.get(name, size) < size:
                self.verbs[node] = verbs[name]


@dataclass(slots=True)
class ParsedSentence:
    """The content of a sentence's rows; `entities` by node, `rows` the row of each node."""

    tokens: tuple[Token, ...]
    nodes: Nodes
    entities: list[str | None]
    rows: list[int]
    extra: dict[str, Any]


def parse(rows: Sequence[str]) -> ParsedSentence:
    """Parse the rows of a sentence; raise `RowError`."""
    nodes = Nodes()
    cells: list[list[str]] = []
    places: list[int] = []
    multiword: dict[str, list[str]] = {}
    count = 0
    inside = 0  # the last word of the multiword token that is open
    for number, row in enumerate(rows):
        name, *columns = _split_row(row, number)
        # IDs count on: the next word, an empty node after the last word, or a multiword token over
        # the next word and others.
        try:
            value = parse_id_value(name)
        except (ParseException, ValueError):  # or thousands of digits
            value = None
        # An empty node stands after its word, and after those before it.
        last = _NODE.fullmatch(nodes.ids[-1]) if nodes.ids else None
        minor = int(last[2]) if last else 0
        if isinstance(value, int) and value == count + 1:
            nodes.words.append(count)
            count += 1
        elif (
            isinstance(value, tuple)
            and _NODE.fullmatch(name)
            and value[0] == count
            and value[2] > minor
        ):
            nodes.words.append(None)
        elif isinstance(value, tuple) and value[1] == "-" and inside < value[0] == count + 1:
            multiword[name], inside = columns, value[2]
            continue
        else:
            raise RowError(f"ID {name[:20]!r} where {count + 1} was expected", number)
        nodes.ids.append(name)
        cells.append(columns)
        places.append(number)
    if not count:
        raise RowError("a sentence without words", len(rows) - 1)
    if inside > count:
        raise RowError("the sentence ends within a multiword token", len(rows) - 1)
    extra: dict[str, Any] = {}
    tokens, entities = _make_tokens(nodes, cells, multiword, extra, places)
    nodes.set_verbs(map_subjects_to_verbs(extra))
    return ParsedSentence(tokens, nodes, entities, places, extra)


def _split_row(row: str, number: int) -> list[str]:
    """Split a row into the ten columns of CoNLL-U. Raises `RowError` for any other row."""
    if row.count("\t") != 9:
        raise RowError(f"{row.count(chr(9)) + 1} columns, CoNLL-U has 10", number)
    if "  " in row:  # which the library takes for a border of columns
        raise RowError("two blanks together in a column", number)
    columns = list(map(str, parse_line(row, DEFAULT_FIELDS, _AS_IT_STANDS).values()))
    if "" in columns:
        raise RowError("an empty column, where _ was expected", number)
    return columns


def _make_tokens(
    nodes: Nodes,
    cells: Sequence[list[str]],
    multiword: dict[str, list[str]],
    extra: dict[str, Any],
    places: Sequence[int],
) -> tuple[tuple[Token, ...], list[str | None]]:
    """Make the words and the nodes' values of `Entity`; the rest of the columns goes to `extra`."""
    # Whether a space follows the words in multiword tokens, whose MISC says it for them.
    spaces: dict[int, bool] = {}
    for name, columns in multiword.items():
        first, last = map(int, name.split("-"))
        spaces.update(dict.fromkeys(range(first - 1, last - 1), False))
        values = _take_values(columns, _KEYS[2:], 0)
        spaces[last - 1] = "SpaceAfter" not in values
    # The nodes. MISC gives up the values that a token has a field for; the rest is kept.
    tokens: list[Token] = []
    entities: list[str | None] = []
    deps: list[str] = []
    count = len(nodes.words) - nodes.words.count(None)
    for node, (word, columns) in enumerate(zip(nodes.words, cells, strict=True)):
        keys = _KEYS if word not in spaces else _KEYS[:2]
        values = _take_values(columns, keys if word is not None else _KEYS[:1], places[node])
        entities.append(values.get("Entity"))
        if columns[8] != "_" and word is not None:
            extra.setdefault("misc", {})[str(word)] = columns[8]
        if word is None:
            extra.setdefault("empty", {})[nodes.ids[node]] = _shorten(columns)
            continue
        form, lemma, upos, xpos, feats, head, deprel, dep, _ = columns
        if head != "_" and not (
            head.isdecimal() and head.isascii() and len(head) < 10 and int(head) <= count
        ):
            raise RowError(f"HEAD {head[:20]!r} is not a word of the sentence", places[node])
        deps.append("=" if dep == f"{head}:{deprel}" else dep)
        tokens.append(
            Token(
                form,
                lemma=_value(lemma) if form != "_" else lemma,
                upos=_value(upos),
                xpos=_value(xpos),
                feats=_value(feats),
                head=None if head == "_" else int(head),
                deprel=_value(deprel),
                ner=values.get("NER"),
                space_after=spaces.get(word, "SpaceAfter" not in values),
            )
        )
    if set(deps) != {"_"}:
        extra["deps"] = "\t".join(deps)
    if multiword:
        extra["multiword"] = {name: _shorten(columns) for name, columns in multiword.items()}
    return tuple(tokens), entities


def _take_values(columns: list[str], keys: Sequence[str], row: int) -> dict[str, str]:
    """Take the values of the keys out of MISC, leaving the keys alone behind.

    Where there is nothing else, and the keys are in their order, MISC is empty.
    """
    items = columns[8].split("|")
    found: dict[str, str] = {}
    for place, item in enumerate(items):
        key, equals, value = item.partition("=")
        if key not in keys or (key == "SpaceAfter" and equals and value != "No"):
            continue
        if not value or key in found:
            raise RowError(f"{key} in MISC is {'there twice' if value else 'empty'}", row)
        found[key], items[place] = value, key
    usual = items == [key for key in _KEYS if key in found]
    columns[8] = "_" if usual else "|".join(items)
    return found


def _value(column: str) -> str | None:
    return None if column == "_" else column


def _shorten(columns: Sequence[str]) -> str:
    """Join the columns by tabs, without the empty ones at the end, but for the form."""
    last = max((place for place, column in enumerate(columns) if column != "_"), default=0)
    return "\t".join(columns[: last + 1])


def _lengthen(short: str) -> list[str]:
    columns = short.split("\t")
    return columns + ["_"] * (9 - len(columns))


def make_nodes(size: int, zeros: dict[int, int], extra: dict[str, Any]) -> Nodes:
    """Make the nodes of a sentence of `size` words, with `zeros` empty ones before the words.

    These take the empty nodes of `extra` there that are no dropped subjects, and new ones where
    those are too few.
    """
    empty: dict[int, list[int]] = {}
    verbs = map_subjects_to_verbs(extra)
    subjects = Counter(int(name.split(".")[0]) for name, verb in verbs.items() if verb < size)
    for name in extra.get("empty", {}):
        match = _NODE.fullmatch(name)
        if match is None or int(match[1]) > size:
            raise ValueError(f"meta.corefud has an empty node {name!r} outside the sentence")
        empty.setdefault(int(match[1]), []).append(int(match[2]))
    nodes = Nodes()
    for word in range(size + 1):
        minors = sorted(empty.get(word, []))
        while len(minors) - subjects[word] < zeros.get(word, 0):
            minors.append(minors[-1] + 1 if minors else 1)
        nodes.words += [None] * len(minors)
        nodes.ids += [f"{word}.{minor}" for minor in minors]
        if word < size:
            nodes.words.append(word)
            nodes.ids.append(str(word + 1))
    nodes.set_verbs(verbs)
    return nodes


def make_rows(
    sentence: Sentence, nodes: Nodes, entities: Sequence[str | None], extra: dict[str, Any]
) -> Iterator[str]:
    """Make the rows of a sentence; raise `ValueError` for values that columns cannot hold."""
    size = len(sentence.tokens)
    if not size:
        raise ValueError("a sentence has no words")
    # The multiword tokens by their first words, and the words in them, whose spaces these have.
    multiword = {int(name.split("-")[0]): name for name in extra.get("multiword", {})}
    covered = {
        word
        for name in multiword.values()
        for word in range(int(name.split("-")[0]) - 1, int(name.split("-")[1]))
    }
    if covered and max(covered) >= size:
        raise ValueError("meta.corefud has a multiword token that reaches beyond the sentence")
    deps = extra["deps"].split("\t") if "deps" in extra else ["_"] * size
    if len(deps) != size:
        raise ValueError(f"meta.corefud has {len(deps)} deps for {size} words")
    for node, word in enumerate(nodes.words):
        values = {"Entity": entities[node]}
        # An empty node, or a multiword token before its first word, and the word.
        if word is None:
            columns = _lengthen(extra.get("empty", {}).get(nodes.ids[node], "_"))
            columns[8] = _fill_misc(columns[8], values)
        else:
            if word + 1 in multiword:
                name = multiword[word + 1]
                columns = _lengthen(extra["multiword"][name])
                last = sentence.tokens[int(name.split("-")[1]) - 1]
                columns[8] = _fill_misc(
                    columns[8], {"SpaceAfter": None if last.space_after else "No"}
                )
                yield _make_row(name, columns)
            token = sentence.tokens[word]
            values["NER"] = token.ner
            if word not in covered:
                values["SpaceAfter"] = None if token.space_after else "No"
            head, dep = "_" if token.head is None else str(token.head), deps[word]
            fields = (token.form, token.lemma, token.upos, token.xpos, token.feats, token.deprel)
            form, lemma, upos, xpos, feats, deprel = (
                one if one is not None else "_" for one in fields
            )
            dep = f"{head}:{deprel}" if dep == "=" else dep
            columns = [form, lemma, upos, xpos, feats, head, deprel, dep]
            columns.append(_fill_misc(extra.get("misc", {}).get(str(word), "_"), values))
        yield _make_row(nodes.ids[node], columns)


def _fill_misc(misc: str, values: dict[str, str | None]) -> str:
    """Put values into MISC at the places of their keys, or else before the rest."""
    for key, value in values.items():
        if value is not None and (not value or "|" in value):
            raise ValueError(f"{key} {value!r} cannot be written in MISC: it is empty or holds |")
    items = [] if misc == "_" else misc.split("|")
    new = [key for key in _KEYS if values.get(key) is not None and key not in items]
    filled = [
        item if item not in _KEYS else f"{item}={values[item]}"
        for item in new + items
        if item not in _KEYS or values.get(item) is not None
    ]
    return "|".join(filled) or "_"


def _make_row(name: str, columns: Sequence[str]) -> str:
    """Join an ID and columns to a row. Raises `ValueError` for values that would break the row."""
    row = "\t".join([name, *columns])
    if row.count("\t") != 9 or "" in columns:
        raise ValueError(f"word {name} has an empty value or one that holds a tab")
    if "  " in row or "\n" in row or "\0" in row or row.endswith("\r"):
        raise ValueError(f"word {name} has a value with two blanks together, a line break or a NUL")
    return row


def join_text(sentence: Sentence, extra: dict[str, Any]) -> str:
    """Join the words and multiword tokens to the sentence's text."""
    multiword = {}
    for name, short in extra.get("multiword", {}).items():
        first, last = map(int, name.split("-"))
        multiword[first - 1] = (last - 1, short.split("\t")[0])
    pieces: list[str] = []
    word = 0
    while word < len(sentence.tokens):
        last, form = multiword.get(word, (word, sentence.tokens[word].form))
        if not word <= last < len(sentence.tokens):
            raise ValueError("meta.corefud has a multiword token that reaches beyond the sentence")
        pieces.append(form + " " * sentence.tokens[last].space_after)
        word = last + 1
    return "".join(pieces).removesuffix(" ")


_ID = re.compile(r"[^-()\[\]|=\s]+")

Named = tuple[str, str | None, Mention]
"""A mention with its entity's name and its attributes, None for the usual ones."""


def usual_ids(count: int, before: int) -> list[str]:
    """Number the clusters of a document after so many `before` it in its file."""
    return [f"e{number}" for number in range(before + 1, before + count + 1)]


def make_mentions(spans: Sequence[Span], number: int, nodes: Nodes) -> list[Mention]:
    """Make the mentions of a sentence's spans; that of a dropped subject is on its verb.

    It stays a zero mention where the verb has another mention to itself.
    """
    # By words: a part of empty nodes alone says nothing, a mention of them alone is zero.
    found: list[Mention] = []
    for span in spans:
        parts = []
        for start, end in span.parts:
            words = [word for word in nodes.words[start:end] if word is not None]
            if words:
                parts.append((words[0], words[-1] + 1))
        if parts:
            whole = tuple(sorted(parts))
            own = whole if len(whole) > 1 else ()
            found.append(Mention(number, whole[0][0], whole[-1][1], own))
        else:
            place = nodes.count_words_before(span.parts[0][0])
            found.append(Mention(number, place, place, zero=True))
    # A dropped subject moves to the verb that shows it, unless a mention of the verb is there.
    taken = set(found)
    for place, span in enumerate(spans):
        (node, end), *others = span.parts
        verb = nodes.verbs.get(node)
        if verb is not None and found[place].zero and end - node == 1 and not others:
            shown = Mention(number, verb, verb + 1)
            if shown not in taken:
                found[place] = shown
                taken.add(shown)
    return found


def drop_usual_nodes(extra: dict[str, Any], mentions: Sequence[Named]) -> None:
    """Leave out the writer's own empty nodes for zero mentions."""
    zeros = Counter(mention.start for _, _, mention in mentions if mention.zero)
    for place, count in zeros.items():
        there = [name for name in extra.get("empty", {}) if name.startswith(f"{place}.")]
        usual = [f"{place}.{minor}" for minor in range(1, count + 1)]
        if there == usual and all(extra["empty"][name] == "_" for name in there):
            for name in there:
                del extra["empty"][name]
    if not extra.get("empty", True):
        del extra["empty"]


def name_clusters(
    document: Document, meta: dict[str, Any], extras: Mapping[str, Any], before: int
) -> dict[str, Sequence[Mention]]:
    """Name the clusters as `meta` does or else by number; `extras` by the sentence's number.

    `before` counts the clusters of the documents before it in its file.
    """
    clusters: Sequence[Sequence[Mention]] = document.clusters
    if not all(clusters):
        raise ValueError("a cluster has no mention")
    ids = meta.get("ids", [])
    if not len(ids) == len(set(ids)) == len(clusters) or not all(map(_ID.fullmatch, ids)):
        ids = usual_ids(len(clusters), before)
        clusters = sort_clusters(clusters, extras)
    return dict(zip(ids, clusters, strict=True))


def group_by_sentence(
    named: Mapping[str, Sequence[Mention]], meta: dict[str, Any]
) -> dict[int, list[Named]]:
    """Group the mentions of named clusters by sentence, in the order of their clusters."""
    attributes: dict[str, str] = meta.get("attributes", {})
    found: dict[int, list[Named]] = {}
    for name, cluster in named.items():
        for mention, key in zip(cluster, attribute_keys(cluster), strict=True):
            found.setdefault(mention.sentence, []).append((name, attributes.get(key), mention))
    return found


def attribute_keys(cluster: Sequence[Mention]) -> list[str]:
    """Make the keys of a cluster's mentions in `attributes`: `0:3-5`, `0:3-5,7-8`, `1:0` if zero.

    A further zero mention at the place of another is `1:0#2`.
    """
    keys: list[str] = []
    for mention in cluster:
        parts = mention.parts or ((mention.start, mention.end),)
        spans = ",".join(f"{start}-{end}" for start, end in parts)
        key = f"{mention.sentence}:{mention.start if mention.zero else spans}"
        same = sum(other.partition("#")[0] == key for other in keys[-9:])
        keys.append(f"{key}#{same + 1}" if same else key)
    return keys


def sort_clusters(
    clusters: Sequence[Sequence[Mention]], extras: Mapping[str, Any]
) -> list[Sequence[Mention]]:
    """Sort the clusters by their first brackets."""
    # A mention on a verb has its bracket at the empty node, whose ID says where it stands.
    nodes = {
        Mention(int(number), verb, verb + 1): (int(major), int(minor))
        for number, extra in extras.items()
        for name, verb in map_subjects_to_verbs(extra).items()
        for major, _, minor in [name.partition(".")]
    }

    def sort_key(mention: Mention) -> tuple[int, int, bool, int]:
        """Make the key of a mention's bracket in the order of the sentence."""
        if mention in nodes:
            major, minor = nodes[mention]
            return mention.sentence, major, False, minor
        end = mention.parts[0][1] if mention.parts else mention.end
        return mention.sentence, mention.start, not mention.zero, -end

    return sorted(clusters, key=lambda cluster: min(map(sort_key, cluster)))


def usual_attributes(mention: Mention, nodes: Nodes, sentence: Sentence) -> str:
    """Make a mention's default attributes: no type, and the first node headed from outside."""
    if mention.zero:
        return "--1"
    covered = [
        nodes.words[node]
        for start, end in _convert_parts(mention, nodes.places)
        for node in range(start, end)
    ]
    words = set(covered)
    for place, word in enumerate(covered, 1):
        head = None if word is None else sentence.tokens[word].head
        if head is not None and (head == 0 or head - 1 not in words):
            return f"--{place}"
    return "--1"


def _convert_parts(mention: Mention, places: dict[int, int]) -> tuple[tuple[int, int], ...]:
    """Convert the parts of a mention from words to nodes; `places` maps words to nodes."""
    parts = mention.parts or ((mention.start, mention.end),)
    return tuple((places[start], places[end - 1] + 1) for start, end in parts)


def make_cells(
    mentions: Sequence[Named], nodes: Nodes, sentence: Sentence, fields: str
) -> list[str | None]:
    """Make the values of `Entity` by node; zero mentions before a word take its empty nodes.

    A mention of no more than a verb is its dropped subject, where there is an empty node for one.
    """
    subjects = {(verb, verb + 1): node for node, verb in nodes.verbs.items()}
    empty: dict[int, list[int]] = {}
    for node, word in reversed(list(enumerate(nodes.words))):
        if word is None and node not in nodes.verbs:
            empty.setdefault(nodes.count_words_before(node), []).append(node)
    spans = []
    for name, attributes, mention in mentions:
        if mention.zero:
            node = empty[mention.start].pop()
            parts: tuple[tuple[int, int], ...] = ((node, node + 1),)
        elif not mention.parts and (mention.start, mention.end) in subjects:
            node = subjects[mention.start, mention.end]
            parts = ((node, node + 1),)
        else:
            parts = _convert_parts(mention, nodes.places)
        if attributes is None:
            attributes = usual_attributes(mention, nodes, sentence)
        spans.append(Span(name, attributes, parts))
    return corefud_entity.make(spans, len(nodes.words), corefud_entity.find_name_place(fields))


def restore_cells(
    mentions: Sequence[Named], kept: dict[str, str], nodes: Nodes, sentence: Sentence, fields: str
) -> list[str | None] | None:
    """Return the kept values of `Entity` by node, None if they do not name these mentions."""
    cells = [kept.get(name) for name in nodes.ids]
    try:
        spans = corefud_entity.parse(cells, corefud_entity.find_name_place(fields))
    except EntityError:  # they are of a sentence that has been changed since
        return None
    number = mentions[0][2].sentence
    said = Counter(
        (span.entity, span.attributes, mention)
        for span, mention in zip(spans, make_mentions(spans, number, nodes), strict=True)
    )
    wanted = Counter(
        (name, usual_attributes(m, nodes, sentence) if own is None else own, m)
        for name, own, m in mentions
    )
    if said != wanted:
        return None
    if len({span.parts for span in spans}) < len(spans):
        raise ValueError("two mentions of the sentence have the same words")
    return cells
