"""Sets of Winograd's kind: WinoBias, Winogender, WinoGrande, WSC and WNLI.

Sets with columns are read in all forms of rows.py. A value of a column without a field goes to
`meta["other"]`; an item without an id is named by its file and number.

WinoBias' numbered lines:
B1. A line is a number, a blank and a sentence: `7 [The cook] met the baker when [he] was ill.`
B2. The first brackets hold the right candidate, the others its pronouns: one at least. The first
    pronoun is the target, the rest are mentions of the right candidate.
B3. The wrong candidate has no brackets: it is the first occupation of `winobias.toml` outside of
    them, with its article (`the baker`). `1 [The cook] met the king when [he] was ill.` is an
    error. In `[The cook] respects the baker because [he] knows a good baker.` it is the
    first baker.
B4. The candidates stand in the order of the text; label and mentions follow from the brackets.
B5. The id is the line's number. The text has neither number nor brackets. Blanks within brackets
    (`the [ cook]`, two of the files) are none of the candidate, and written outside of them.
B6. The writer takes two candidates with their mentions, and refuses what would not be read as the
    same candidates, label, target and mentions: a text with brackets of its own, a label that is
    None, a wrong candidate of no known occupation. An id that is no number becomes the line's.
B7. The Hub's rows have `tokens` and, in `coreference_clusters`, first and last word of each mention
    in turn (`["0", "1", "6", "6"]`), counted as in `word_number`. They are read as the line that
    they make. `document_id` is the same for many, so that file and number are the id.

Winogender's sentences:
G1. The header is `sentid sentence`, separated by a tab.
G2. A sentid is `occupation.participant.answer.gender.txt`: `chef.guest.1.female.txt`. The answer is
    0 for the occupation and 1 for the participant, the gender male, female or neutral.
G3. The candidates are occupation and participant, in this order, as they stand in the sentence with
    their article: `The chef` and `the guest`, or `someone`. They replace the pronoun as they are;
    a bare `chef` would not. Each stands in the sentence once, or the line is an error.
G4. The target is the one word of the sentence that is a pronoun of the sentid's gender (`he his him
    himself`, `she her hers herself`, `they their them theirs themselves`); else it is an error.
G5. The id is the sentid. The writer writes what rules G2 to G4 would read as the same candidates,
    target and label, and refuses the rest.

WinoGrande, as a table or as JSON lines:
W1. The table's header is `index sentence1 sentence2 label candidate0 candidate1`. An item is two
    rows that follow each other with the same index, sentence2 and candidates. sentence1 ends in
    candidate0 in the first row and in candidate1 in the second; what stands before it is the same:
    `Ann met Bo because Ann` and `Ann met Bo because Bo`.
W2. The text is what stands before, a blank `_`, and sentence2 (which begins with its own space).
    The blank is the target. The label is the row with label 1. Neither is label None; both: error.
W3. JSON lines, the released form: qID, sentence, option1, option2, and answer "1" or "2". The
    Hub's rows have no qID. The sentence holds one `_`, the target; of `a _ b _ c` none is meant.
    A missing answer is label None; so is "", which `meta["answer"]` keeps.
W4. The id is the index, or the qID. Mentions are empty, since the files have no offsets. Of two
    options that are the same, the second candidate ends in ` (2)`, and is written without.
W5. The writers need two candidates, and put the blank in place of the target: a pronoun that stood
    there is lost, as are source, sentences, mentions and meta. Cells have no tabs and line ends.

WSC273, WSC285 and DPR, the Hub's rows:
S1. `text` holds the pronoun at `pronoun_loc`; `options` are the candidates, `label` counts them
    from 0. DPR calls them `sentence` and `candidates`, and means the first place of its pronoun.
SuperGLUE's WSC, and CLUE's in Chinese:
S2. `span1_text` is the candidate and the word `span1_index` of the text, `span2` the pronoun.
    They stand within `target` in the released files. Words are parted by blanks; where the string
    is no beginning of that word, the index counts characters (CLUE).
S3. Candidate 0 is the candidate, candidate 1 the pronoun itself, as rule N3 has it: label true is
    label 0, false is label 1.

WNLI's table:
N1. The header is `index sentence1 sentence2 label`; the test set has no label. The text is
    sentence1, the premise. The id is the index, `meta["hypothesis"]` is sentence2.
N2. The hypothesis is cut from the premise, with a run of one to five other words in the pronoun's
    place: `It fell. The cup fell.` has `The cup` for `It`. The rest of it stands in the premise
    with one word between; upper and lower case are the same, and so are , . ? !
    Of several such runs those count that take a pronoun's place, if there are any; of these the
    shortest, and of those the last (in the hypothesis, then in the premise). The published reader
    asks for no pronoun: in `He hit the jar, and it broke. The jar broke.` it has `jar broke` for
    the premise's `jar`, since a comma is a full stop.
N3. The target is that word of the premise. Candidate 0 is the run, as the hypothesis has it;
    candidate 1 is the target itself: another than candidate 0. Label 1 of the file is label 0,
    label 0 is label 1, and a file without labels has None.
N4. Where rule N2 finds nothing, the target is the whole premise and candidate 0 the whole
    hypothesis; `meta["aligned"]` is false. The published reader takes such items for label 0 of
    the file. Where hypothesis or run is the target's own string, candidate 1 ends in ` (2)`.
N5. The writer writes what would be read as the same example, and refuses the rest. Either all
    examples have a label or none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from itertools import chain, count
from pathlib import Path

from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, naming
from corefmill.corpora.formats.form import (
    Format,
    Located,
    encode_row,
    find_words,
    line_format,
    make_distinct,
    masked_example,
    stop_at_faults,
    two_names,
    write_records,
    write_table,
)
from corefmill.corpora.formats.rows import (
    Columns,
    Row,
    find_span,
    is_missing,
    list_of,
    number_of,
    read_rows,
    text_of,
    truth_of,
)
from corefmill.corpora.records import MaskedExample, Meta, Span

_NUMBERED = re.compile(r"([0-9]{1,9}) (.+)", re.DOTALL)
_BRACKETS = re.compile(r"\[([^\[\]]+)\]")


@cache
def _occupation() -> re.Pattern[str]:
    names = "|".join(map(re.escape, disk.read_package_table(__file__, "winobias")["occupations"]))
    return re.compile(rf"\b(?:(?:the|an?) )?(?:{names})\b", re.IGNORECASE)


def _parse_winobias(line: str, lang: str) -> MaskedExample:
    """Make the example of a line of WinoBias (rules B1 to B5)."""
    match = _NUMBERED.fullmatch(line)
    if match is None:
        raise ValueError("a line of number, blank and sentence was expected")
    text, spans, position = "", list[Span](), 0
    for found in _BRACKETS.finditer(match[2]):
        text += match[2][position : found.start()]
        bare = found[1].strip()
        start = len(text) + found[1].index(bare)
        spans.append((start, start + len(bare)))
        text += found[1]
        position = found.end()
    text += match[2][position:]
    if "[" in text or "]" in text:
        raise ValueError("the brackets do not pair")
    if len(spans) < 2:
        raise ValueError(f"{len(spans)} pairs of brackets, where candidate and pronoun need two")
    right, target, *others = spans
    for found in _occupation().finditer(text):
        if all(found.end() <= start or end <= found.start() for start, end in spans):
            wrong = found.span()
            break
    else:
        raise ValueError("no occupation outside the brackets: the wrong candidate cannot be found")
    label = int(wrong < right)
    ordered = sorted((right, wrong))
    return masked_example(
        match[1],
        lang,
        text,
        target,
        [text[start:end] for start, end in ordered],
        label,
        mentions=(
            *((number, *span) for number, span in enumerate(ordered)),
            *((label, *span) for span in others),
        ),
    )


def write_winobias(path: Path, examples: Iterable[MaskedExample]) -> int:
    """Write examples in WinoBias' form and return their number. Raises `DataError` by rule B6."""
    numbers = count(1)

    def encode(example: MaskedExample) -> bytes:
        # Brackets around the right candidate, its other mentions and the target, from the end on.
        number = str(next(numbers))
        if re.fullmatch("[0-9]{1,9}", example.id):
            number = example.id
        right = {(start, end) for one, start, end in example.mentions if one == example.label}
        text = example.text
        for start, end in sorted({*right, example.target}, reverse=True):
            text = f"{text[:start]}[{text[start:end]}]{text[end:]}"
        line = f"{number} {text}"
        again = _parse_winobias(line, example.lang)
        _require_same(again, example, "text", "candidates", "label", "target", "mentions")
        return encode_row([line])

    return write_records(path, examples, encode)


def _require_same(again: MaskedExample, example: MaskedExample, *fields: str) -> None:
    """Raise `ValueError` where reading gives other values of the fields than were written."""
    for field in fields:
        if getattr(again, field) != getattr(example, field):
            raise ValueError(f"the format cannot hold the {field}: it would be read as another")


WINOBIAS = line_format(
    "winobias",
    "WinoBias' numbered lines with brackets",
    ".winobias.txt",
    _parse_winobias,
    write_winobias,
    suits=lambda name, head: (
        (first := _NUMBERED.fullmatch(head.partition("\n")[0])) is not None
        and len(_BRACKETS.findall(first[2])) > 1
    ),
)


_WORDS = Columns(
    ("id", "tokens", "coreference_clusters", "word_number"), optional=("id", "word_number")
)


def _parse_winobias_row(row: Row, lang: str) -> MaskedExample:
    """Make the example of a row of the Hub's WinoBias (rule B7)."""
    tokens = list_of(row, "tokens")
    places, numbers = (
        list(map(int, re.findall(r"\d{1,9}", str(row[name]))))
        for name in ("coreference_clusters", "word_number")
    )
    order = numbers if len(numbers) == len(tokens) else list(range(len(tokens)))
    if len(places) % 2 or not set(places) <= set(order):
        raise ValueError(f"coreference_clusters {places} are no pairs of words of the sentence")
    for first, last in zip(places[::2], places[1::2], strict=True):
        first, last = order.index(first), order.index(last)
        tokens[first] = f"[{tokens[first]}"
        tokens[last] += "]"
    made = _parse_winobias(f"0 {' '.join(tokens)}", lang)
    return replace(made, id=str(row["id"]))


WINOBIAS_ROWS = line_format(
    "winobias-rows",
    "WinoBias as the Hub has it: tokens and first and last words",
    ".jsonl",
    _parse_winobias_row,
    None,
    columns=_WORDS,
)


SENTENCES = ("sentid", "sentence")
_SENTENCES = Columns(SENTENCES)

_SENTID = re.compile(r"([^.]{1,200})\.([^.]{1,200})\.([01])\.(male|female|neutral)\.txt")
_GENDERS = {
    "male": ("he", "his", "him", "himself"),
    "female": ("she", "her", "her", "hers", "herself"),
    "neutral": ("they", "their", "them", "theirs", "themselves"),
}


def _parse_winogender(row: Row, lang: str) -> MaskedExample:
    """Make the example of a sentence of Winogender (rules G2 to G5)."""
    sentid, sentence = text_of(row, "sentid"), text_of(row, "sentence")
    match = _SENTID.fullmatch(sentid)
    if match is None:
        raise ValueError(f"sentid {sentid[:60]!r} is not occupation.participant.answer.gender.txt")
    *persons, answer, gender = match.groups()

    def find_only(pattern: str, what: str) -> Span:
        found = [match.span() for match in re.finditer(pattern, sentence, re.IGNORECASE)]
        if len(found) != 1:
            raise ValueError(f"{what} stands {len(found)} times in the sentence, not once")
        return found[0]

    target = find_only(rf"\b(?:{'|'.join(_GENDERS[gender])})\b", f"{gender} pronoun")
    # The candidates as rule G3 has them, with their articles.
    spans = [find_only(rf"\b(?:(?:the|an?) )?{re.escape(one)}\b", one) for one in persons]
    candidates = [sentence[start:end] for start, end in spans]
    mentions = [(number, *span) for number, span in enumerate(spans)]
    return masked_example(
        sentid, lang, sentence, target, candidates, int(answer), mentions=mentions
    )


def write_winogender(path: Path, examples: Iterable[MaskedExample]) -> int:
    """Write examples as Winogender's table, return their number. Raises `DataError` by rule G5."""

    def rows(example: MaskedExample) -> Iterator[list[str]]:
        row = {"sentid": example.id, "sentence": example.text}
        again = _parse_winogender(row, example.lang)
        _require_same(again, example, "candidates", "target", "label")
        yield [example.id, example.text]

    return write_table(path, SENTENCES, examples, rows)


WINOGENDER = line_format(
    "winogender",
    "Winogender's sentences, with the candidates in their ids",
    ".tsv",
    _parse_winogender,
    write_winogender,
    columns=_SENTENCES,
)


BLANK = "_"
ITEMS = ("index", "sentence1", "sentence2", "label", "candidate0", "candidate1")
_ITEMS = Columns(ITEMS)
_LINES = Columns(
    ("qID", "sentence", "option1", "option2", "answer"),
    optional=("qID", "answer"),
    aliases={"qID": ("id", "idx", "index")},
)


def read_winogrande(path: Path, lang: str = "en") -> Located:
    """Stream the items of WinoGrande's table, each with the line of its first row."""
    rows = stop_at_faults(lambda path, lang: read_rows(path, _ITEMS))(path, lang)
    for number, first in rows:
        _, second = next(rows, (0, None))
        if second is None:
            raise DataError("the item's second row is missing", path=path, line=number)
        with naming(path, number):
            example = _parse_winogrande(first, second, lang)
        yield number, example


def _parse_winogrande(first: Row, second: Row, lang: str) -> MaskedExample:
    """Make the example of an item's two rows (rules W1 and W2)."""
    for column in ("index", "sentence2", "candidate0", "candidate1"):
        if first[column] != second[column]:
            raise ValueError(
                f"the item's two rows differ in {column}: "
                f"{str(first[column])[:40]!r} and {str(second[column])[:40]!r}"
            )
    after, *options = (text_of(first, name) for name in ("sentence2", "candidate0", "candidate1"))
    befores = set()
    for row, option in zip((first, second), options, strict=True):
        before = text_of(row, "sentence1")
        if not before.endswith(option):
            raise ValueError(f"sentence1 does not end in its candidate {option[:40]!r}")
        befores.add(before.removesuffix(option))
    if len(befores) > 1:
        raise ValueError("the item's two rows differ before their candidates")
    labels = tuple(str(row["label"]) for row in (first, second))
    if labels not in (("1", "0"), ("0", "1"), ("0", "0")):
        raise ValueError(f"the labels are {labels[0][:20]!r} and {labels[1][:20]!r}")
    (before,) = befores
    target = len(before), len(before) + len(BLANK)
    label = labels.index("1") if "1" in labels else None
    meta: Meta = {"other": first["other"]} if first["other"] else {}
    return masked_example(
        str(first["index"]),
        lang,
        before + BLANK + after,
        target,
        make_distinct(options),
        label,
        meta=meta,
    )


def write_winogrande(path: Path, examples: Iterable[MaskedExample]) -> int:
    """Write examples as WinoGrande's table, two rows each, and return their number (rule W5)."""

    def rows(example: MaskedExample) -> Iterator[list[str]]:
        options, (start, end) = two_names(example), example.target
        for number, option in enumerate(options):
            before, label = example.text[:start] + option, str(int(example.label == number))
            yield [example.id, before, example.text[end:], label, *options]

    return write_table(path, ITEMS, examples, rows)


def _parse_winogrande_item(row: Row, lang: str) -> MaskedExample:
    """Make the example of a line of WinoGrande (rules W3 and W4)."""
    sentence, *options = (text_of(row, name) for name in ("sentence", "option1", "option2"))
    places = [match.span() for match in re.finditer(BLANK, sentence)]
    if len(places) != 1:
        raise ValueError(f"{len(places)} blanks in the sentence, not one")
    answer = "" if is_missing(row["answer"]) else str(row["answer"]).removesuffix(".0")
    if answer not in ("1", "2", ""):
        raise ValueError(f"answer {answer[:20]!r} is neither 1 nor 2")
    return masked_example(
        str(row["qID"]),
        lang,
        sentence,
        places[0],
        make_distinct(options),
        int(answer) - 1 if answer else None,
        meta={"answer": ""} if row["answer"] == "" else {},
    )


def write_winogrande_lines(path: Path, examples: Iterable[MaskedExample]) -> int:
    """Write examples as WinoGrande's lines and return their number (rules W3 and W5)."""

    def encode(example: MaskedExample) -> bytes:
        (first, second), (start, end) = two_names(example), example.target
        if BLANK in example.text[:start] + example.text[end:]:
            raise ValueError(f"the text holds another {BLANK}")
        sentence = example.text[:start] + BLANK + example.text[end:]
        made = {"qID": example.id, "sentence": sentence, "option1": first, "option2": second}
        if example.label is not None:
            made["answer"] = str(example.label + 1)
        elif example.meta.get("answer") == "":
            made["answer"] = ""
        return json.dumps(made).encode() + b"\n"

    return write_records(path, examples, encode)


WINOGRANDE = Format(
    name="winogrande",
    schema="masked-example/1",
    summary="WinoGrande as a table, two rows an item",
    suffix=".tsv",
    read=read_winogrande,
    write=write_winogrande,
    suits=lambda name, head: _ITEMS.suit(head),
)

WINOGRANDE_LINES = line_format(
    "winogrande-jsonl",
    "WinoGrande as released: JSON lines with a sentence, a blank and two options",
    ".jsonl",
    _parse_winogrande_item,
    write_winogrande_lines,
    columns=_LINES,
)


_SCHEMAS = Columns(
    ("id", "text", "pronoun", "pronoun_loc", "options", "label"),
    optional=("id", "pronoun_loc", "label"),
    aliases={"id": ("idx", "index"), "text": ("sentence",), "options": ("candidates",)},
)


def _parse_schema(row: Row, lang: str) -> MaskedExample:
    """Make the example of a row of WSC273 or DPR (rule S1)."""
    text, options = text_of(row, "text"), list_of(row, "options")
    if is_missing(row["pronoun_loc"]):
        pronoun = text_of(row, "pronoun")
        target = find_words(text, pronoun)
        if target is None:
            raise ValueError(f"pronoun {pronoun[:40]!r} does not stand in the text")
    else:
        target = find_span(row, "pronoun", "pronoun_loc", text)
    label = None if is_missing(row["label"]) or row["label"] == -1 else number_of(row, "label")
    if label is not None and label >= len(options):
        raise ValueError(f"label {label} is not the number of one of the {len(options)} options")
    return masked_example(str(row["id"]), lang, text, target, make_distinct(options), label)


WSC = line_format(
    "wsc",
    "WSC273, WSC285 and DPR as the Hub has them: a text, a pronoun, options",
    ".jsonl",
    _parse_schema,
    None,
    columns=_SCHEMAS,
)


_SPANS = ("span1_text", "span1_index", "span2_text", "span2_index")
_SUPERGLUE = Columns(
    ("idx", "text", *_SPANS, "label"),
    optional=("idx", "label"),
    aliases={"idx": ("id", "index")} | {name: (f"target.{name}",) for name in _SPANS},
)


def _parse_superglue(row: Row, lang: str) -> MaskedExample:
    """Make the example of a row of SuperGLUE's WSC (rules S2 and S3)."""
    text = text_of(row, "text")
    words = [match.span() for match in re.finditer(r"\S+", text)]

    def find(name: str) -> Span:
        """Find a span by the index of its word, else of its character."""
        string, index = text_of(row, f"{name}_text"), number_of(row, f"{name}_index")
        pattern = r"\s+".join(map(re.escape, string.split()))
        every = [match.span() for match in re.finditer(pattern, text, re.IGNORECASE)]
        start, end = words[index] if index < len(words) else (0, 0)
        # A quote may stand before it, but no letter.
        found = [
            span
            for span in every
            if start <= span[0] < end and not re.search(r"\w", text[start : span[0]])
        ]
        found = found or [span for span in every if span[0] == index]
        if not string.strip() or not found:
            there = text[start:end]
            raise ValueError(f"{name}_text is {string[:40]!r}, but word {index} is {there[:40]!r}")
        return found[0]

    span, target = find("span1"), find("span2")
    label = truth_of(row, "label")
    names = make_distinct((text[slice(*span)], text[slice(*target)]))
    return masked_example(
        str(row["idx"]),
        lang,
        text,
        target,
        names,
        None if label is None else int(not label),
        mentions=[(0, *span)],
    )


SUPERGLUE = line_format(
    "superglue-wsc",
    "SuperGLUE's WSC: a text, a candidate and a pronoun by their words",
    ".jsonl",
    _parse_superglue,
    None,
    columns=_SUPERGLUE,
)


INFERENCES = ("index", "sentence1", "sentence2", "label")
_INFERENCES = Columns(INFERENCES, ("index", "label"), {"index": ("idx", "id")})

_LONGEST_RUN = 5
_PRONOUNS = frozenset(
    {"he", "him", "his", "himself", "she", "her", "hers", "herself", "it", "its", "itself"}
    | {"they", "them", "their", "theirs"}
)
_WORD = re.compile(r"['’]s\b|\w+(?:['’](?!s\b)\w+)*|[^\w\s]", re.IGNORECASE)


def _parse_wnli(row: Row, lang: str) -> MaskedExample:
    """Make the example of a row of WNLI (rules N1 to N4)."""
    premise, hypothesis = text_of(row, "sentence1"), text_of(row, "sentence2")
    if not premise.strip() or not hypothesis.strip():
        raise ValueError("a sentence is empty")
    if row["other"]:  # other sets have these two sentences, too
        raise ValueError(f"WNLI has no column {next(iter(row['other']))!r}")
    label = truth_of(row, "label")
    meta: Meta = {"hypothesis": hypothesis}
    found = align(premise, hypothesis)
    if found is None:
        found, meta["aligned"] = ((0, len(premise)), (0, len(hypothesis))), False
    target, run = found
    return masked_example(
        str(row["index"]),
        lang,
        premise,
        target,
        make_distinct((hypothesis[slice(*run)], premise[slice(*target)])),
        None if label is None else int(not label),
        meta=meta,
    )


def align(premise: str, hypothesis: str) -> tuple[Span, Span] | None:
    """Find the word of the premise and the run of the hypothesis in its place (rule N2)."""
    ours, theirs = (
        [
            ("." if match[0] in ",?!" else match[0].casefold(), match.span())
            for match in _WORD.finditer(text)
        ]
        for text in (premise, hypothesis)
    )
    # Every run of the hypothesis without which its rest is the premise's words around one word.
    # The least is chosen: one in a pronoun's place, then the shortest, then the last.
    words, said = [word for word, _ in ours], [word for word, _ in theirs]
    found = [
        (words[place] not in _PRONOUNS, length, -start, -place)
        for length in range(1, min(_LONGEST_RUN, len(said)) + 1)
        for start in range(len(said) - length + 1)
        if length < len(said)  # else any word would do
        for place in range(start, len(words) - len(said) + start + length)
        if words[place - start : place] == said[:start]
        and words[place + 1 : place + 1 + len(said) - start - length] == said[start + length :]
    ]
    if not found:
        return None
    _, length, start, place = min(found)
    run = theirs[-start : length - start]
    return ours[-place][1], (run[0][1][0], run[-1][1][1])


def write_wnli(path: Path, examples: Iterable[MaskedExample]) -> int:
    """Write examples as WNLI's table and return their number. Raises `DataError` by rule N5."""
    rest = iter(examples)
    first = next(rest, None)
    labelled = first is None or first.label is not None

    def rows(example: MaskedExample) -> Iterator[list[str]]:
        if (example.label is not None) != labelled:
            raise ValueError("some examples have a label and some have none")
        hypothesis = example.meta.get("hypothesis")
        if not isinstance(hypothesis, str):
            raise ValueError("meta.hypothesis is missing")
        labels = [] if example.label is None else [str(1 - example.label)]
        cells = [example.id, example.text, hypothesis, *labels]
        row: Row = dict(zip(INFERENCES, [*cells, None], strict=False))
        row["other"] = {}
        again = _parse_wnli(row, example.lang)
        _require_same(again, example, "target", "candidates")
        yield cells

    whole = chain([] if first is None else [first], rest)
    return write_table(path, INFERENCES if labelled else INFERENCES[:3], whole, rows)


WNLI = line_format(
    "wnli",
    "WNLI's table: a premise, and a hypothesis with the pronoun replaced",
    ".tsv",
    _parse_wnli,
    write_wnli,
    suits=lambda name, head: (
        head.partition("\n")[0].rstrip("\r") in ("\t".join(INFERENCES), "\t".join(INFERENCES[:3]))
    ),
    columns=_INFERENCES,
)
