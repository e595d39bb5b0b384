"""What all tests have in common: how hypothesis searches, a deadline, and an order."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO
from unittest import mock

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.database import DirectoryBasedExampleDatabase

from corefmill.corpora import card_parts

# pytest-xdist keeps every core busy as it is; threads of torch would wait for each other, and
# what they sum differs in its last bit from run to run.
os.environ["OMP_NUM_THREADS"] = "1"

# A shell that runs this in the background has Ctrl-C ignored, and so would every child.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Each run tries the same examples, so that it fails only by what was changed. `make fuzz` looks
# for new ones with the other profile, and keeps what fails in .hypothesis/.
settings.register_profile(
    "test",
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],  # a busy machine is no fault of a test
)
kept = DirectoryBasedExampleDatabase(Path(__file__).parents[1] / ".hypothesis/examples")
settings.register_profile("fuzz", derandomize=False, database=kept, deadline=None, print_blob=True)
settings.load_profile("test")


LONGEST = 900
"""Seconds by the clock, on however busy a machine, after which a test is taken for hung."""
LONG = (
    *("tests/corefmill/test_types.py", "tests/builders/run/test_executors.py"),
    *("tests/coref_model/training/test_loop.py", "tests/corefmill/test_same_bytes.py"),
    "tests/corefmill/test_every_builder.py",
    *("tests/builders/run/test_run_killed.py", "tests/builders/run/test_run.py"),
    *("tests/corefmill/test_broken_input.py", "tests/corpora/formats/test_every_format.py"),
    *("tests/test_wheel.py", "tests/builders/nlp/test_spacy_backend.py"),
    *("tests/builders/wec/test_world.py", "tests/corefmill/test_build_wec.py"),
)
"""The slowest files, the longest first: they start first, so that no worker waits at the end."""


@pytest.hookimpl(wrapper=True, optionalhook=True)
def pytest_xdist_auto_num_workers() -> Generator[None, int, int]:
    """One worker more than there are cores: many tests wait for processes, servers and clocks."""
    return (yield) + 1


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts the longest files first."""
    places = {path: place for place, path in enumerate(LONG)}
    items.sort(key=lambda item: places.get(item.nodeid.partition("::")[0], len(LONG)))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Searches for no garbage while all tests are imported, and later for none among what there is
    by then: some 750,000 objects that stay to the end, each search of which takes half a second."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


_picture = card_parts.picture
_painted: dict[str, bytes] = {}
"""Pictures by what they show: many tests build the same corpus, and painting takes as long."""


@contextmanager
def _picture_once(path: Path, rows: int = 1, columns: int = 1) -> Iterator[list[Any]]:
    """Draw a picture; one that shows the same as one before is not painted again."""
    from matplotlib.figure import Figure  # as late as where it is drawn
    from matplotlib.lines import Line2D
    from matplotlib.patches import Rectangle
    from matplotlib.text import Text

    paint = Figure.savefig

    def save(figure: Figure, out: BinaryIO, **options: Any) -> None:
        shown = repr(
            (
                [text.get_text() for text in figure.findobj(Text)],
                [line.get_xydata().tolist() for line in figure.findobj(Line2D)],
                [bar.get_bbox().bounds for bar in figure.findobj(Rectangle)],
                [(*one.get_xlim(), *one.get_ylim(), one.get_xscale()) for one in figure.axes],
            )
        )
        if shown not in _painted:
            made = BytesIO()
            paint(figure, made, **options)
            _painted[shown] = made.getvalue()
        out.write(_painted[shown])

    with mock.patch.object(Figure, "savefig", save), _picture(path, rows, columns) as panels:
        yield panels


@pytest.fixture(scope="session", autouse=True)
def kept_pictures() -> Iterator[None]:
    with mock.patch.object(card_parts, "picture", _picture_once):
        yield


@pytest.fixture
def drawn_anew() -> Iterator[None]:
    """For tests of pictures: each is painted."""
    with mock.patch.object(card_parts, "picture", _picture):
        yield


@pytest.fixture(scope="session")
def ray_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home folder for Ray, which keeps a secret there; not every user has one."""
    return tmp_path_factory.mktemp("ray_home")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Fails a test that does not end, wherever it hangs."""

    def hung(number: int, frame: object) -> None:
        pytest.fail(f"{item.nodeid} has not ended after {LONGEST} seconds")

    before = signal.signal(signal.SIGALRM, hung)
    signal.alarm(LONGEST)
    try:
        return (yield)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
