"""Contractions: words of a text that a model's data have as several, Italian "dal" as "da il".

CoNLL-U splits them, spaCy's rules for plain text do not. What the training data split is kept in
`model.toml`, and plain text is split the same way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from corefmill.corpora.records import Document, Record, Span

Contractions = Mapping[str, str]
"""By a contraction in small letters its words, between blanks."""

_FEWEST, _SHARE = 3, 0.9
"""How often a word must have been split, and in which share of its occurrences."""


def learn_contractions(records: Iterable[Record]) -> dict[str, str]:
    """Collect the words that documents of CoNLL-U nearly always split, with the parts of each."""
    split: Counter[tuple[str, str]] = Counter()
    seen: Counter[str] = Counter()
    for document in records:
        if not isinstance(document, Document):
            return {}
        extras = document.meta.get("corefud", {}).get("sentences", {})
        for number, sentence in enumerate(document.sentences):
            forms = [token.form.lower() for token in sentence.tokens]
            for name, row in extras.get(str(number), {}).get("multiword", {}).items():
                first, last = map(int, name.split("-"))
                whole = row.partition("\t")[0].lower()
                split[whole, " ".join(forms[first - 1 : last])] += 1
                seen[whole] += 1
                forms[first - 1 : last] = [""] * (last - first + 1)
            seen.update(forms)
    return {
        whole: words
        for (whole, words), count in sorted(split.items())
        if count >= max(_FEWEST, _SHARE * seen[whole])
    }


def split_word(form: str, span: Span, contractions: Contractions) -> Iterator[tuple[str, Span]]:
    """Split a word into its parts, each with its place, or the whole's where letters are lost."""
    words = contractions.get(form.lower(), "").split()
    if not words:
        yield form, span
    elif "".join(words) == form.lower():
        start = span[0]
        for word in words:
            end = start + len(word)
            yield form[start - span[0] : end - span[0]], (start, end)
            start = end
    else:
        for number, word in enumerate(words):
            yield word.capitalize() if form[0].isupper() and not number else word, span
