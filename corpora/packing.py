"""Tell from its first bytes how a file is packed."""

from __future__ import annotations

import re
from enum import Enum

_ZSTD_FRAME = re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18")  # or a skippable frame


class Packing(Enum):
    """How a file is compressed."""

    NONE = "none"
    BZ2 = "bz2"
    GZ = "gz"
    XZ = "xz"
    ZST = "zst"


def packing(head: bytes) -> Packing:
    """How the file that begins with `head` is compressed; its name does not matter."""
    # The digit is the block size; what follows is a block's or an empty stream's magic.
    if re.match(rb"BZh[1-9](1AY&SY|\x17\x72\x45\x38\x50\x90|.{0,5}\Z)", head, re.S):
        return Packing.BZ2
    if head.startswith(b"\x1f\x8b"):
        return Packing.GZ
    if head.startswith(b"\xfd7zXZ\0"):
        return Packing.XZ
    if _ZSTD_FRAME.match(head):
        return Packing.ZST
    return Packing.NONE
