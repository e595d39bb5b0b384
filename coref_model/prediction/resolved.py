"""The text of a document with its pronouns replaced by names.

1. English pronouns of the third person are replaced, each by the name of its cluster; possessive
   pronouns by the name with 's. Reflexives stay: "Ann hurt Ann" would mean two persons.
2. The name of a cluster is its most frequent name; of equals the longest, then the first. A name
   is a mention of capitalised words, up to its first comma: Ann Lee, the Bank of Rome, Ann and
   Eve. Pronouns of a cluster without a name stay.
3. `her` is possessive before a word that is not of a closed class; a tag or a feature of the token
   (PRP$, Poss=Yes) goes before this rule.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.records import Document, Token

_WORDS = {
    name: set(said.split()) for name, said in disk.read_package_table(__file__, "resolved").items()
}
_SUFFIXES = ("'s", "’s", "'", "’")


def resolve(document: Document) -> str:
    """Return the document's text with its pronouns replaced by names.

    Raises `UsageError` for a document that is not English.
    """
    if document.lang.partition("-")[0] not in ("en", "simple"):
        raise UsageError(
            f"--to resolved replaces pronouns of English only, not of {document.lang!r}"
        )
    text, offsets = lay_out_text(document)
    edits = []
    for cluster in document.clusters:
        names = Counter(
            _read_name(document.sentences[one.sentence].tokens[one.start : one.end])
            for one in cluster
            if not one.zero
        )
        del names[""]
        name = max(names, key=lambda name: (names[name], len(name)), default="")
        for mention in cluster if name else ():
            tokens = document.sentences[mention.sentence].tokens
            if mention.zero or mention.end - mention.start > 1:
                continue
            if said := _inflect(tokens, mention.start, name):
                edits.append((offsets[mention.sentence][mention.start], said))
    done, made = 0, []
    for (start, end), said in sorted(edits):
        if start >= done:  # a word of two clusters is replaced once
            made += [text[done:start], said]
            done = end
    return "".join([*made, text[done:]])


def lay_out_text(document: Document) -> tuple[str, Sequence[Sequence[tuple[int, int]]]]:
    """Return a document's text, else a sentence a line, and the span of each token in the text."""
    if document.text is not None and document.offsets is not None:
        return document.text, document.offsets
    text, offsets = "", []
    for sentence in document.sentences:
        spans = []
        for token in sentence.tokens:
            spans.append((len(text), len(text) + len(token.form)))
            text += token.form + " " * token.space_after
        text = text.rstrip(" ") + "\n"
        offsets.append(spans)
    return text, offsets


def _inflect(tokens: Sequence[Token], number: int, name: str) -> str:
    """Inflect a name to replace the pronoun at `number`; "" for other tokens."""
    token = tokens[number]
    form = token.form.lower()
    owns = form in _WORDS["possessive"]
    if form == "her":
        if token.xpos or token.feats:
            owns = token.xpos == "PRP$" or "Poss=Yes" in (token.feats or "").split("|")
        else:
            after = tokens[number + 1].form if number + 1 < len(tokens) else ""
            owns = after[:1].isalnum() and after.lower() not in _WORDS["not_owned"]
    elif not owns and form not in _WORDS["personal"]:
        return ""
    if owns:
        plural = name.endswith("s") and name.startswith("the ")
        name += "'" if plural else "'s"
    return name[0].upper() + name[1:] if token.form[0].isupper() else name


def _read_name(tokens: Sequence[Token]) -> str:
    """Read the name in a mention's tokens, up to its first comma; "" if it has none."""
    forms = [token.form for token in tokens]
    # Up to the first comma or bracket, and without a possessive ending.
    end = next((n for n, form in enumerate(forms) if form in (",", "(", "-LRB-")), len(forms))
    while end and forms[end - 1] in _SUFFIXES:
        end -= 1
    held = forms[:end]
    if held and held[0].lower() == "the":
        held[0] = "the"
    # A name begins with a capital behind its article, and not with a word such as "every".
    first = held[1:2] if held[:1] == ["the"] else held[:1]
    is_name = bool(first) and first[0][0].isupper() and first[0].lower() not in _WORDS["no_name"]
    if not is_name or not all(
        form[0].isupper() or form[0].isdigit() or form in _WORDS["inside"] or form == "."
        for form in held
    ):
        return ""
    return "".join(
        form + " " * (token.space_after and n < end - 1)
        for n, (form, token) in enumerate(zip(held, tokens, strict=False))
    )
