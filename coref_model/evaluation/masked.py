"""Score masked examples: GAP and WNLI by their own protocols, others by the choice of a candidate.

Ties are never right. Examples without a label are counted and left out; examples with a cut passage
are counted and scored. The rows of baseline rules follow those of the model.

GAP is scored as by its official scorer: a name is TRUE if no other candidate is likelier. The
candidates are the two names of the row, or the names of persons that a pipeline finds in the text
(section 5 of the WikiCREM paper). A name of the row that the pipeline does not find has no answer,
which the official scorer counts as a false negative.

WNLI is turned back into choices (section 5, too): the words for the pronoun in the hypothesis are
compared with the premise's other noun phrases. The item is entailed if none of these is likelier.
If a hypothesis does not align with its premise, the answer is 0, as in the published reader.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from corefmill.coref_model.evaluation.rows import (
    FOUND_NAMES,
    PREMISE_NOUNS,
    EvaluationOptions,
    ScoredSplit,
    ScoreRow,
    TextNames,
)
from corefmill.coref_model.masked import answers
from corefmill.coref_model.masked.answers import Answerer, CandidateScores, mark_roles
from corefmill.coref_model.prediction.predictor import Predictor
from corefmill.corpora import find
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.files.writing import replacing
from corefmill.corpora.find import FoundCorpus
from corefmill.corpora.records import MaskedExample
from corefmill.corpora.scoring import gap
from corefmill.corpora.scoring.gap import GENDERS
from corefmill.corpora.scoring.metrics import Measure, ratios
from corefmill.corpora.scoring.table import ScoreTable

Placed = tuple[Path, int, MaskedExample]
"""An example with its file and line."""

OnRight = Callable[[str, bool], None]
"""Called with an item's id, and whether the model's answer is right."""

CANDIDATES = "given candidates"
_GAP_MEASURES = {"gap": "F1", "masculine": "F1", "feminine": "F1", "bias": "bias"}
_GAP_GROUPS = {"masculine": "M", "feminine": "F"}


def score_corpus(
    predictor: Predictor, corpus: FoundCorpus, split: str, options: EvaluationOptions
) -> list[ScoreRow]:
    """Score a corpus of masked examples, by the model and by the rules.

    Raises `UsageError` for WNLI without a pipeline that finds nouns, and for a model of syntax
    without a pipeline that parses.
    """

    def answer(examples: Iterable[MaskedExample]) -> Iterator[CandidateScores]:
        if getattr(predictor.settings, "syntax", False):
            examples = mark_roles(examples, options.parser(corpus.lang).roles)
        return predictor.answers(examples)

    placed = [
        (path, line, record)
        for path, line, record in find.read_placed(corpus, split)
        if isinstance(record, MaskedExample)
    ]
    scored = ScoredSplit(corpus.name, split, options.seed)
    score: Callable[..., list[ScoreRow]]
    if corpus.format == "wnli":
        if options.nouns is None:
            raise UsageError(
                "WNLI needs a pipeline that finds nouns", remedy="name one by --nlp NAME|DIR"
            )
        score = partial(score_wnli, placed, nouns=options.nouns)
        rows = score(answer, scored, glue=options.glue)
        if not rows:  # no labels: the answers are in the file for GLUE
            return []
    else:
        score = partial(score_gap if corpus.format == "gap" else score_choices, placed)
        rows = score(answer, scored, on_right=partial(options.on_answer, corpus.name))
    for by, rule in answers.BY_TEXT.items():
        rows += score(rule, replace(scored, by=by))
    try:
        parser = options.parser(corpus.lang)
    except UsageError as error:
        nobody = replace(scored, by="same role, no pipeline")
        rows.append(nobody.make_empty_row(rows[0].protocol, rows[0].metric, str(error)))
    else:
        by = f"same role, {parser.name}"
        rows += score(partial(answers.score_by_role, parser.roles), replace(scored, by=by))
    if corpus.format == "gap" and options.persons is not None:
        rows += score_gap(placed, answer, scored, persons=options.persons)
    return rows


def score_choices(
    placed: Sequence[Placed],
    answerer: Answerer,
    scored: ScoredSplit,
    *,
    on_right: OnRight = lambda name, right: None,
) -> list[ScoreRow]:
    """Score the accuracy on a corpus, and on the corpus's usual parts.

    Raises `DataError` if no example has a label.
    """
    find_part, note = _PARTS.get(scored.corpus, (lambda path, example: "", ""))
    parts: dict[str, list[tuple[MaskedExample, CandidateScores]]] = {"": []}
    given = answerer(example for *_, example in placed)
    for (path, _, example), answer in zip(placed, given, strict=True):
        if example.label is not None:
            on_right(example.id, answer.choice == example.label)
            for part in {"", find_part(path, example)}:
                parts.setdefault(part, []).append((example, answer))
    if not parts[""]:
        raise DataError(
            f"{scored.corpus}: none of {len(placed):,} examples of {scored.split} has a label",
            remedy="name a split that has answers",
        )
    found = []
    for part in sorted(parts):
        counts: Counter[str] = Counter()
        for example, answer in parts[part]:
            counts["tied"] += answer.choice is None
            counts["cut"] += answer.cut
            # The published reader masks a pronoun only between two blanks.
            (start, end), text = example.target, example.text
            flanked = text[start - 1 : start] == " " == text[end : end + 1]
            counts["unmasked by the published reader"] += not flanked
        if not part and len(placed) > len(parts[part]):
            counts["unlabelled"] = len(placed) - len(parts[part])
        found += scored.make_rows(
            _count_accuracy([answer.choice == one.label for one, answer in parts[part]]),
            {"accuracy": "accuracy"},
            protocol=CANDIDATES,
            groups={"accuracy": part},
            counts=counts,
            note="" if part else note,
        )
    return found


def _count_accuracy(right: Sequence[bool]) -> ScoreTable:
    """Make a score table of right and wrong answers, with accuracy as F1."""
    counts = [(one, 1, one, 1) for one in right]
    names = [str(number) for number in range(len(right))]
    measures = (Measure("accuracy", "accuracy", ratios),)
    return ScoreTable("example", names, ["-"] * len(right), measures, {"accuracy": counts})


def _find_winobias_part(path: Path, example: MaskedExample) -> str:
    """Read T1a, T1p, T2a or T2p from the name of the file."""
    name = path.name
    for kind in "12":
        if f"type{kind}" in name or f"stereotyped_{kind}" in name:
            return f"T{kind}{'a' if name.startswith('anti') else 'p'}"
    return ""


def _find_winogender_part(path: Path, example: MaskedExample) -> str:
    """Read the gender of the pronoun from the end of the sentence's id."""
    pieces = example.id.split(".")
    return next((piece for piece in pieces if piece in ("female", "male", "neutral")), "")


_PARTS: dict[str, tuple[Callable[[Path, MaskedExample], str], str]] = {
    "winobias": (
        _find_winobias_part,
        "Where the pronoun is masked, a pair's two sides differ in stray 's only: their gap then"
        " says nothing of bias.",
    ),
    "winogender": (
        _find_winogender_part,
        "Where the pronoun is masked, a sentence is the same for each gender but for cases.",
    ),
}


def score_gap(
    placed: Sequence[Placed],
    answerer: Answerer,
    scored: ScoredSplit,
    *,
    persons: TextNames | None = None,
    on_right: OnRight = lambda name, right: None,
) -> list[ScoreRow]:
    """Score F1 of all names, of masculine and feminine pronouns, and the bias.

    With `persons`, the candidates are the names found by it; a row is right if both its names are.
    Raises `DataError` for a pronoun that is not GAP's, and for a corpus without rows.
    """
    if not placed:
        raise DataError(f"{scored.corpus}: split {scored.split} has no rows to score")
    key: dict[str, gap.GapAnswer] = {}
    for path, line, example in placed:
        pronoun = example.text[slice(*example.target)].lower()
        if pronoun not in GENDERS or len(example.candidates) != 2:
            raise DataError(
                f"{example.id}: {pronoun!r} is not a row of GAP: each has he or she and two names",
                path=path,
                line=line,
            )
        right = example.label == 0, example.label == 1
        key[example.id] = gap.GapAnswer(right, GENDERS[pronoun])
    examples = [example for *_, example in placed]
    said: dict[str, list[bool | None]] = {name: [None, None] for name in key}
    counts = Counter({"tied": 0, "cut": 0})
    asked: list[tuple[str, int | None, MaskedExample]] = []
    for row, which, question in _make_questions(examples, persons):
        if isinstance(question, MaskedExample):
            asked.append((row, which, question))
        elif which is not None:
            said[row][which] = question
            counts["names not found"] += question is None
    given = answerer(example for *_, example in asked)
    for (row, name, _), answer in zip(asked, given, strict=True):
        counts["tied"] += answer.choice is None
        counts["cut"] += answer.cut
        for index in (0, 1) if name is None else (name,):
            said[row][index] = answer.choice == (index if name is None else 0)
    response = {row: gap.GapAnswer((pair[0], pair[1])) for row, pair in said.items()}
    for row, both in response.items():
        on_right(row, both.names == key[row].names)
    return scored.make_rows(
        gap.count_gap(key, response, placed[0][0]),
        _GAP_MEASURES,
        protocol="gold candidates" if persons is None else FOUND_NAMES,
        groups=_GAP_GROUPS,
        counts=counts,
    )


def _make_questions(
    examples: Sequence[MaskedExample], persons: TextNames | None
) -> Iterator[tuple[str, int | None, MaskedExample | bool | None]]:
    """Make a masked example of each GAP row, or of each candidate if `persons` finds the names.

    Yields the row's ID, the candidate's index (None for both), and the example or the answer. The
    answer is None if the candidate is not among the names found in the text, True if it is the only
    one.
    """
    if persons is None:
        for one in examples:
            question = _replace_candidates(one, one.candidates)
            yield one.id, None, replace(question, mentions=one.mentions)
        return
    targets = ((example.text, *example.target) for example in examples)
    blanked = (f"{text[:start]}_{text[end:]}" for text, start, end in targets)
    for example, names in zip(examples, persons(blanked), strict=True):
        written = {name.casefold(): name for name in reversed(names)}
        pool = list(dict.fromkeys(name.casefold() for name in names))
        for which, candidate in enumerate(example.candidates):
            own = candidate.removesuffix(" (2)")  # the reader's mark of a second equal name
            if own.casefold() not in written:
                yield example.id, which, None
            elif others := [written[name] for name in pool if name != own.casefold()]:
                yield example.id, which, _replace_candidates(example, (own, *others))
            else:
                yield example.id, which, True


def _replace_candidates(example: MaskedExample, names: Sequence[str]) -> MaskedExample:
    """Replace an example's candidates by `names`; for `his` with 's, since `her` is ambiguous."""
    if example.text[slice(*example.target)].lower() == "his":
        names = [f"{name}'s" for name in names]
    return replace(example, candidates=tuple(names), mentions=(), label=None)


def score_wnli(
    placed: Sequence[Placed],
    answerer: Answerer,
    scored: ScoredSplit,
    *,
    nouns: TextNames,
    glue: Path | None = None,
) -> list[ScoreRow]:
    """Score the accuracy if there are labels; write the answers to `glue` if given.

    That file is GLUE's WNLI.tsv: index and 0 or 1, by index, without a heading, as written by the
    published code. Raises `DataError` for a split without labels unless `glue` is given.
    """
    examples = [example for *_, example in placed]
    questions: list[MaskedExample | bool] = []
    for example, found in zip(examples, nouns(one.text for one in examples), strict=True):
        own = example.candidates[0]
        folded = own.casefold()
        others = {
            noun.casefold(): noun
            for noun in reversed(found)
            if noun.casefold() not in folded and folded not in noun.casefold()
        }
        if example.meta.get("aligned") is False:
            questions.append(False)
        elif others:
            candidates = (own, *reversed(others.values()))
            questions.append(replace(example, candidates=candidates, mentions=(), label=None))
        else:
            questions.append(True)
    given = answerer(one for one in questions if isinstance(one, MaskedExample))
    entailed: dict[str, bool] = {}
    right: list[bool] = []
    counts = Counter({"tied": 0, "cut": 0, "not aligned": 0, "without another noun": 0})
    for example, question in zip(examples, questions, strict=True):
        if isinstance(question, MaskedExample):
            answer = next(given)
            counts["tied"] += answer.choice is None
            counts["cut"] += answer.cut
            entailed[example.id] = answer.choice == 0
        else:
            counts["without another noun" if question else "not aligned"] += 1
            entailed[example.id] = question
        if example.label is not None:
            right.append(entailed[example.id] == (example.label == 0))
    if glue is not None:
        order = sorted(entailed, key=lambda one: (int(one) if one.isdecimal() else -1, one))
        with replacing(glue) as out:
            out.write("".join(f"{one}\t{int(entailed[one])}\n" for one in order).encode())
    if not right and glue is None:
        raise DataError(
            f"{scored.corpus}: none of {len(placed):,} items of {scored.split} has a label",
            remedy="--wnli FILE writes the answers in GLUE's form",
        )
    if not right:
        return []
    table = _count_accuracy(right)
    return scored.make_rows(table, {"accuracy": "accuracy"}, protocol=PREMISE_NOUNS, counts=counts)
