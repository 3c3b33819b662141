"""The process of the site listener."""

from pathlib import Path

import msgspec

from benchmarks.figures import MeasurementFailed


def memory_of_listener(log: Path) -> float:
    """In MiB: of the process itself, with what it shares with others. `log`: of the supervisor."""
    status = (Path("/proc") / str(_pid(log)) / "status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def _pid(log: Path) -> int:
    lines = (msgspec.json.decode(line) for line in log.read_bytes().splitlines() if line.startswith(b'{"'))
    pids = [line["pid"] for line in lines if (line["message"], line.get("part")) == ("started", "edge")]
    if not pids:
        raise MeasurementFailed("the service runs without its site listener")
    return int(pids[-1])
