"""The comment lines of CorefUD that can be written from the record alone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from corefmill.corpora.formats.corefud_lines import NEWDOC
from corefmill.corpora.formats.corefud_sentence import written
from corefmill.corpora.records import Document


@dataclass(slots=True)
class Comments:
    """The comment lines that a record gives; `nameless` says that `newdoc` may stand for its name.

    `newdoc` is the line of a document without a name, None if it has none.
    """

    document: Document
    newdoc: str | None
    nameless: bool
    fields: str

    def line(self, word: str, number: int, extra: dict[str, Any]) -> str | None:
        """The line that a word of `comments` stands for, None for no line."""
        document, sentence = self.document, self.document.sentences[number]
        if word == "newdoc":
            return self.newdoc if self.nameless else f"# newdoc id = {document.doc_id}"
        if word == "part":
            return f"# part = {document.part}"
        if word == "global.Entity":
            return f"# global.Entity = {self.fields}"
        if word == "sent_id":
            # No name of a sentence may hold blanks or slashes, and parts share the document's.
            name = "_".join(re.split(r"[/\s]+", document.doc_id))
            part = f"-part{document.part}" if document.part else ""
            return f"# sent_id = {name}{part}-{number + 1}"
        if word == "speaker":
            return f"# speaker = {sentence.speaker}"
        if word == "text":
            return f"# text = {written(sentence, extra)}"
        raise ValueError(f"meta.corefud has a comment {word!r}")

    def is_name(self, comment: str) -> bool:
        """Whether a comment opens a document of this name, in other words than ours."""
        match = NEWDOC.fullmatch(comment)
        return match is not None and match[1] == self.document.doc_id

    def usual(self, number: int) -> list[str]:
        """The words for the comments of a sentence of which nothing is known."""
        words = [] if self.nameless and self.newdoc is None else ["newdoc"]
        words += ["part"] if self.document.part else []
        words += ["global.Entity"] if self.document.clusters else []
        spoken = self.document.sentences[number].speaker is not None
        return [*(words if not number else []), "sent_id", *(["speaker"] * spoken), "text"]

    def marked(self, comment: str, number: int, extra: dict[str, Any]) -> str:
        """The word that stands for the comment, or the comment."""
        words = ["newdoc", "part", "global.Entity"] if not number else []
        for word in [*words, "sent_id", "speaker", "text"]:
            if comment == self.line(word, number, extra):
                return word
        return comment
