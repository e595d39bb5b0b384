"""Control characters that stand, inside the cleaner only, where something was cut.

XML forbids all of them, so no dump holds any; `strip_marks` removes them from other sources.
"""

LOST = "\x01"  # something that may have been words of the sentence
CUT = "\x02"  # something that was no part of the sentence: a note, a comment, a picture
PIPE = "\x03"  # a pipe that separates no arguments of a template
QUOTE_OPEN = "\x04"  # alone on its line
QUOTE_CLOSE = "\x05"  # alone on its line

CUTS = LOST + CUT
ALL = CUTS + PIPE + QUOTE_OPEN + QUOTE_CLOSE


def strip_marks(text: str) -> str:
    for mark in ALL:
        if mark in text:
            text = text.replace(mark, "")
    return text
