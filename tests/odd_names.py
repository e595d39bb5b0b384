"""Names that files may have, in which a library may see a meaning."""

from __future__ import annotations

import os

ODD = (
    "what?",
    "per%cent",
    "a*b[c]{d}",
    "#hash;",
    'it\'s "it"',
    "new\nline",
    "~home",
    "md:s3:x",
    "-dash",
    "back\\slash",
    "caffè",
    os.fsdecode(b"caf\xe9"),
)
