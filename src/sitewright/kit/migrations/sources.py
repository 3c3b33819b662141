"""The SQL files of the schema, in the order in which they are applied."""

import hashlib
import re
from collections.abc import Sequence
from enum import Enum
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

import msgspec

from sitewright.migrations import PACKAGES

_REAPPLIED = re.compile(r"(functions|triggers|views)(_\w+)?\.sql")
_KNOWN = re.compile(rf"baseline\.sql|\d{{4}}_\w+\.sql|{_REAPPLIED.pattern}")
_HEADER = re.compile(r"-- run: (.+)")


class Run(Enum):
    """How a file is run; the first line of a numbered file says so: `-- run: in batches`."""

    IN_A_TRANSACTION = "in a transaction"
    OUTSIDE_A_TRANSACTION = "outside a transaction"
    IN_BATCHES = "in batches"


class Source(msgspec.Struct, frozen=True):
    path: str
    """Package and name: `accounts/0002_nicknames.sql`."""
    sql: str

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def is_baseline(self) -> bool:
        return self.name == "baseline.sql"

    @property
    def is_reapplied(self) -> bool:
        """Functions, triggers and views: applied again whenever the file differs from what was applied."""
        return _REAPPLIED.fullmatch(self.name) is not None

    @property
    def run(self) -> Run:
        header = _HEADER.match(self.sql)
        return Run(header[1].strip()) if header else Run.IN_A_TRANSACTION

    @property
    def checksum(self) -> str:
        return _checksum(self.sql)


@cache
def _checksum(sql: str) -> str:
    """Compute the checksum of the statements without comments and white space; cached for `/health/ready`."""
    bare = re.sub(r"\s+", " ", re.sub(r"--[^\n]*", "", sql)).strip()
    return hashlib.sha256(bare.encode()).hexdigest()


@cache
def all_sources() -> Sequence[Source]:
    return sources_in(files("sitewright.migrations"))


def sources_in(folder: Traversable) -> Sequence[Source]:
    """List baselines and numbered files by package, then the reapplied files, since functions may use any table."""
    found = [source for package in PACKAGES for source in _of_package(folder.joinpath(package), package)]
    return tuple(sorted(found, key=lambda source: source.is_reapplied))


def upgrade_sources() -> Sequence[Source]:
    """Return the files that upgrade a database of the former 32 migrations to the baselines; the last completes it.

    The first builds indexes, which takes long; it can be repeated.
    """
    paths = ("upgrade/from_0032_indexes.sql", "upgrade/from_0032.sql")
    folder = files("sitewright.migrations")
    return [Source(path, folder.joinpath(path).read_text(encoding="utf-8")) for path in paths]


def _of_package(folder: Traversable, package: str) -> list[Source]:
    """List the files of a package, the baseline first."""
    names = [file.name for file in folder.iterdir()] if folder.is_dir() else []
    known = [name for name in names if _KNOWN.fullmatch(name)]
    ordered = sorted(known, key=lambda name: (name != "baseline.sql", name))
    return [Source(f"{package}/{name}", folder.joinpath(name).read_text(encoding="utf-8")) for name in ordered]
