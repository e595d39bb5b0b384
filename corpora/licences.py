"""Licences by their SPDX identifiers, as the hubs and Croissant name them."""

from __future__ import annotations

import re

# Of MIT the case matters: mit is a word.
_KNOWN = re.compile(
    r"(?i:(?:CC0|CC[ -]BY(?:-NC)?(?:-SA|-ND)?)[ -]\d\.\d)|\bMIT\b|(?i:\bApache-2\.0\b)"
)


def spdx(licence: str) -> list[str]:
    """The SPDX identifiers of what a corpus says of its licence; none for `that of the texts`."""
    found = (one.replace(" ", "-").upper() for one in _KNOWN.findall(licence))
    return list(dict.fromkeys(one.replace("APACHE", "Apache") for one in found))
