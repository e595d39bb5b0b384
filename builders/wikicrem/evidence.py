"""What speaks for or against that a reader takes a pronoun in the mask's place for the answer.

Each piece is a number of a parsed draft; how much it counts, confidence.toml says. Rivals are the
other persons named before the mask whom a pronoun of the answer's gender could mean.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from math import log

from corefmill.builders.nlp import Analysis
from corefmill.builders.persons import reference_words
from corefmill.builders.persons.names import Name
from corefmill.builders.persons.view import DraftView
from corefmill.builders.wikicrem.reading import PronounReading

_OBJECTS = frozenset({"obj", "iobj", "dobj", "obl", "nmod", "pobj"})
_HELPING = frozenset({"aux", "auxpass", "cop"})
_MOST = 3
"""Rivals are counted no further."""


class PronounEvidence:
    """The evidence of one draft, whose passage is parsed."""

    def __init__(self, view: DraftView, analysis: Analysis, lang: str) -> None:
        self._view = view
        self._analysis = analysis
        self._reading = PronounReading(view, analysis)
        self._words = reference_words.load(lang)
        self._answer = view.draft.target.text

    def values(self) -> Mapping[str, float]:
        """Each piece of evidence by its name in confidence.toml."""
        found = {**self._of_persons(), **self._of_mask()}
        return {name: float(value) for name, value in found.items()}

    def _of_persons(self) -> dict[str, float]:
        """Who else is named, and what the answer and they were last."""
        persons, reading = self._view.persons, self._reading
        last_rival = self._rivals[-1] if self._rivals else None
        by_rival = {name.text: name for name in self._rivals}
        role, answer_role = self._role(reading.mask), self._role(reading.word(self._last_answer))
        known = persons.gender(self._answer).form
        outsider = self._names_outsider()
        return {
            "open_rivals": min(_MOST, len(by_rival.keys() - self._beside())),
            "rival_of_known_gender": known is not None
            and any(persons.gender(name).form == known for name in by_rival),
            "rival_in_sentence": last_rival is not None
            and self._sentence(last_rival.start) == self._sentence(self._target.start),
            "rival_nearer": last_rival is not None and last_rival.start > self._last_answer.start,
            "rival_in_role": any(
                self._role(reading.word(name)) == role for name in by_rival.values()
            ),
            "rival_last_subject": reading.last_subject == "rival",
            "answer_last_subject": reading.last_subject == "answer",
            "answer_no_argument": answer_role == "",
            "pronoun_of_outsider": outsider,
            "nobody_else": not (by_rival or outsider or self._names_noun()),
            "opposed_before": any(
                persons.opposed(name.text, self._answer) for name in self._before
            ),
        }

    def _of_mask(self) -> dict[str, float]:
        """Where the mask stands, and what stands beside it."""
        view, reading, mask = self._view, self._reading, self._reading.mask
        role = self._role(mask)
        begins = self._place(self._target.start) - reading.sentence_start(mask)
        sentences = self._sentence(self._target.start) - self._sentence(self._last_answer.start)
        follows = view.next_words(1)
        beside = {*map(str.lower, (*view.last_words(1), *follows))}
        return {
            "mask_subject": role == "subject",
            "mask_no_argument": role == "",
            "mask_without_finite_verb": role == "subject" and not self._is_finite(mask),
            "mask_begins": begins == 0,
            "words_before_mask": log(1 + begins),
            "sentences_from_answer": sentences,
            "coordinated": bool(beside & view.table.conjunctions),
            "reflexive_follows": any(map(self._is_reflexive, follows)),
            "gender_told": self._tells_gender(),
            "read_as_rival": reading.of_rival,
            "by_paper": view.draft.rule != "c",
        }

    @property
    def _target(self) -> Name:
        return self._view.draft.target

    @cached_property
    def _last_answer(self) -> Name:
        return [name for name in self._before if name.text == self._answer][-1]

    def _beside(self) -> set[str]:
        """Who is named in the mask's clause behind it, whom a pronoun there does not mean."""
        reading = self._reading
        own = reading.clause(reading.mask)
        behind = (name for name in self._view.draft.names if name.start >= self._target.end)
        return {name.text for name in behind if reading.clause(reading.word(name)) == own}

    @cached_property
    def _before(self) -> list[Name]:
        return [n for n in self._view.draft.names if n.end <= self._target.start]

    @cached_property
    def _rivals(self) -> list[Name]:
        """The mentions of rivals, in order."""
        persons, answer = self._view.persons, self._answer
        return [
            name
            for name in self._before
            if name.text != answer
            and not persons.same(name.text, answer)
            and not persons.opposed(name.text, answer)
        ]

    @cached_property
    def _pronouns(self) -> list[int]:
        """The words before the mask that may be a pronoun for the answer."""
        forms = self._analysis.forms[: self._place(self._target.start)]
        pronouns = self._view.pronouns
        return [i for i, form in enumerate(forms) if form.lower() in pronouns]

    def _names_outsider(self) -> bool:
        """Whether a pronoun for the answer's gender means somebody else: it stands before the
        answer is named, or is the subject over a mention of the answer's."""
        reading = self._reading
        answers = [name for name in self._before if name.text == self._answer]
        first = self._place(answers[0].end)
        places = [reading.word(name) for name in answers]
        return any(
            pronoun < first
            or (
                self._role(pronoun) == "subject"
                and any(
                    pronoun < word and reading.is_below(word, reading.clause(pronoun))
                    for word in places
                )
            )
            for pronoun in self._pronouns
        )

    def _names_noun(self) -> bool:
        """Whether a noun before the mask may mean a person of the answer's gender, and tells it."""
        read = self._analysis
        gender = self._view.persons.gender(self._answer).form
        nouns = (
            (read.lemma or read.forms)[word].lower()
            for word in range(self._place(self._target.start))
            if read.upos[word] == "NOUN" and read.upos[read.head[word]] != "PROPN"
        )
        return any(
            told and gender in (None, told) for told in map(self._words.gender_of_noun, nouns)
        )

    def _tells_gender(self) -> bool:
        """Whether the masked sentence has any pronoun that tells a gender."""
        forms = self._analysis.forms[self._reading.sentence_start(self._reading.mask) :]
        return any(self._words.gender_of(form) or self._is_reflexive(form) for form in forms)

    def _is_reflexive(self, form: str) -> bool:
        return self._words.gender_of_reflexive(form.lower()) is not None

    def _role(self, word: int) -> str:
        """What a word is in its clause: "subject", "possessor", "object", or ""."""
        if self._reading.relation(word) == "nsubj":
            return "subject"
        if "poss" in self._analysis.deprel[word]:
            return "possessor"
        return "object" if self._reading.relation(word) in _OBJECTS else ""

    def _is_finite(self, subject: int) -> bool:
        """Whether the verb of a subject is finite, by itself or by a word that helps it."""
        read, verb = self._analysis, self._analysis.head[subject]
        return (bool(read.feats) and "VerbForm=Fin" in read.feats[verb]) or any(
            above == verb and word != verb and self._reading.relation(word) in _HELPING
            for word, above in enumerate(read.head)
        )

    def _place(self, offset: int) -> int:
        """How many words end before an offset of the paragraph."""
        shift = self._view.draft.span[0]
        return sum(end + shift <= offset for _, end in self._analysis.words)

    def _sentence(self, offset: int) -> int:
        """The number of the passage's sentence that holds an offset of the paragraph."""
        return sum(start <= offset for start, _ in self._view.draft.sentences)
