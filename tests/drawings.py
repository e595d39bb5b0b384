"""The pictures of corpora and trainings, each painted once a process: many tests build the same
corpus, and its pictures take as long as all else of a small one."""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO
from unittest import mock

import pytest

from corefmill.corpora import pictures

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ADDRESSES = 2**32
"""Where they begin; no number that is drawn is so large."""

painted: dict[bytes, Callable[[BinaryIO], None]] = {}
"""What writes the points of a figure to a file, by the figure's state."""

_drawing = pictures.picture


@contextmanager
def picture(path: Path, rows: int = 1, columns: int = 1) -> Iterator[list[Axes]]:
    """`pictures.picture` for all tests but its own."""
    from matplotlib.figure import Figure  # as late as where it is drawn

    with (
        mock.patch.object(Figure, "savefig", _once(Figure.savefig)),
        _drawing(path, rows, columns) as panels,
    ):
        yield panels


@pytest.fixture(scope="session", autouse=True)
def kept_drawings() -> Iterator[None]:
    """A figure that is in all things like one before is not painted again: the same points go to
    the file as ever, through the library that writes PNG."""
    with mock.patch.object(pictures, "picture", picture):
        yield


@pytest.fixture
def drawn_anew() -> Iterator[None]:
    """For tests of pictures: each is painted, however often."""
    with mock.patch.object(pictures, "picture", _drawing):
        yield


def _once(save: Callable[..., None]) -> Callable[..., None]:
    """`Figure.savefig`, or what was painted then of a figure that is the same now."""

    def savefig(figure: Figure, out: BinaryIO, **options: Any) -> None:
        import matplotlib.image

        save_points = matplotlib.image.imsave

        def keep(out: BinaryIO, points: Any, **how: Any) -> None:
            save_points(out, points, **how)
            shape, packed = points.shape, zlib.compress(points, 1)  # most is white

            def again(out: BinaryIO) -> None:
                import numpy as np  # after the number of its threads is set

                read = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(shape)
                save_points(out, read, **how)

            painted[state] = again

        state = _state(figure)
        if state in painted:
            painted[state](out)
        else:
            with mock.patch.object(matplotlib.image, "imsave", keep):
                save(figure, out, **options)

    return savefig


def _state(figure: Figure) -> bytes:
    """All that a figure consists of."""
    out = BytesIO()
    _Pickler(out).dump(figure)
    return out.getvalue()


class _Pickler(pickle.Pickler):
    """Writes numbers in place of addresses, which differ each time: of each where it is first."""

    def __init__(self, out: BinaryIO) -> None:
        super().__init__(out)
        self._addresses: dict[int, int] = {}

    def persistent_id(self, thing: Any) -> int | None:
        """The number of an address; of all else none."""
        if type(thing) is not int or thing < ADDRESSES:
            return None
        return self._addresses.setdefault(thing, len(self._addresses))
