"""Metric files on a full disk: no process is killed, and shared metrics stay readable."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from prometheus_client.mmap_dict import MmapedDict

from sitewright.kit.metric_files import INITIAL_BYTES, ReservedFile


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """No file may grow beyond the limit, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def shared(file: Path) -> dict[str, float]:
    return {key: value for key, value, *_ in MmapedDict.read_all_values_from_file(file)}  # type: ignore[no-untyped-call]


def test_without_disk_space_metrics_are_counted_in_the_process(tmp_path: Path) -> None:
    with room_for(0):
        figures = ReservedFile(str(tmp_path / "counter_1.db"))
        figures.write_value("visits", 2.0, 0.0)
    assert figures.read_value("visits") == (2.0, 0.0)
    assert figures.read_value("others") == (0.0, 0.0)
    assert list(tmp_path.iterdir()) == []
    figures.close()


def test_a_file_that_cannot_grow_keeps_its_metrics(tmp_path: Path) -> None:
    file = tmp_path / "counter_1.db"
    keys = [f"{number} {'x' * 1000}" for number in range(100)]
    figures = ReservedFile(str(file))
    with room_for(INITIAL_BYTES):
        for key in keys:
            figures.write_value(key, 1.0, 0.0)
            figures.write_value(key, figures.read_value(key)[0] + 1, 0.0)
    assert [figures.read_value(key)[0] for key in keys] == [2.0] * 100
    assert file.stat().st_size == INITIAL_BYTES
    assert 50 < len(shared(file)) < 100
    figures.close()


def test_a_file_that_can_grow_does(tmp_path: Path) -> None:
    file = tmp_path / "counter_1.db"
    figures = ReservedFile(str(file))
    for number in range(300):
        figures.write_value(f"{number} {'x' * 1000}", float(number), 0.0)
    assert len(shared(file)) == 300
    assert file.stat().st_blocks * 512 >= file.stat().st_size
    figures.close()
