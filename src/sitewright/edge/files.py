"""The files of published snapshots, kept as answers ready to be sent.

A snapshot never changes, so neither does what is kept of it: a publish leads to another version, and the former one
makes room when it is asked for no more.
"""

from collections.abc import Awaitable, Callable
from functools import partial

from sitewright.edge import store
from sitewright.edge.answer import GZIP, KINDS, NO_CACHE, SECURITY, VARY, Answer, Page, make
from sitewright.edge.bodies import Bodies
from sitewright.edge.inflating import Inflater, plain_length
from sitewright.edge.lru import Lru
from sitewright.edge.questions import Questions
from sitewright.edge.store import Site, StoredFile
from sitewright.kit.db import Database

NOT_FOUND = ":not-found"
PAGES = ":pages"
SITEMAP = ":sitemap"
OVERHEAD = 1500  # bytes that an answer takes beside its body, measured
MAX_PLAIN_BYTES = 1024 * 1024
"""Larger pages are not kept decompressed: they are decompressed while they are sent."""
OVERHEAD_OF_PATHS, OVERHEAD_OF_PATH = 700, 120
Key = tuple[int, int, str, bool]


class SnapshotGone(Exception):
    """The version that visitors were to see is there no more: something changed, and we were not told."""


class Files:
    def __init__(
        self, database: Database, questions: Questions, inflater: Inflater, room: int, page_bytes: int = 0
    ) -> None:
        """`page_bytes`: how large a page may be."""
        self._database = database
        self._questions = questions
        self._inflater = inflater
        self._answers: Lru[Key, Answer] = Lru(room - room // 8)
        self._paths: Lru[tuple[int, int], frozenset[str]] = Lru(room // 8)
        # As much as the cache may hold, and as much again that it does not; in any case a few of the largest pages.
        self.bodies = Bodies(max(2 * room, 4 * page_bytes))

    @property
    def weight(self) -> int:
        return self._answers.weight + self._paths.weight

    def kept(self, site: Site, path: str, *, zipped: bool) -> Answer | None:
        """The answer, where it is at hand."""
        key = (site.site_ref, site.version_ref or 0, path, zipped)
        return self._answers.get(key) or self.bodies.find(key)

    async def find(self, site: Site, path: str, *, zipped: bool = True) -> Answer | None:
        """None: the snapshot has no such file."""
        answer = self.kept(site, path, zipped=zipped)
        if answer is not None:
            return answer
        paths = self._paths.get((site.site_ref, site.version_ref or 0))
        if paths is not None and path not in paths:
            return None
        answer = self.kept(site, path, zipped=True) or await self._ask(site, path)
        if answer is None:
            await self.paths(site)  # the next visitor who asks for what is not there finds out without the database
        elif not zipped:
            answer = await self._plain(site, path, answer)
        return answer

    async def _plain(self, site: Site, path: str, zipped: Answer) -> Answer:
        """For clients that do not accept gzip."""
        if plain_length(zipped.body) > MAX_PLAIN_BYTES:
            return unzipped(zipped, zipped.body, inflates=True)
        key = (site.site_ref, site.version_ref, path, "plain")
        answer = unzipped(zipped, await self._questions.ask(key, partial(self._inflater.whole, zipped.body)))
        return self._keep(site, path, answer, zipped=False)

    async def made(
        self, site: Site, path: str, make_it: Callable[[], Awaitable[Answer | None]], *, cached: bool
    ) -> Answer | None:
        """What is made of the snapshot's files, without compression: once for all who ask for it at the same time."""

        async def question() -> Answer | None:
            answer = await make_it()
            return None if answer is None else self._keep(site, path, answer, zipped=False, cached=cached)

        return await self._questions.ask((site.site_ref, site.version_ref, path, "made"), question)

    async def paths(self, site: Site) -> frozenset[str]:
        """All that the snapshot has."""
        key = (site.site_ref, site.version_ref or 0)
        paths = self._paths.get(key)
        return paths if paths is not None else await self._questions.ask(key, partial(self._list, site))

    async def _ask(self, site: Site, path: str) -> Answer | None:
        return await self._questions.ask((site.site_ref, site.version_ref, path), partial(self._read, site, path))

    async def _list(self, site: Site) -> frozenset[str]:
        key = (site.site_ref, site.version_ref or 0)
        async with self._database.transaction(site.brand_ref) as tx:
            paths = frozenset(await store.list_paths(tx, *key))
        if not paths:
            raise SnapshotGone
        self._paths.put(key, paths, OVERHEAD_OF_PATHS + sum(len(path) + OVERHEAD_OF_PATH for path in paths))
        return paths

    async def _read(self, site: Site, path: str) -> Answer | None:
        async with self._database.transaction(site.brand_ref) as tx:
            file = await store.read_file(
                tx, site.site_ref, site.version_ref or 0, path, self.bodies.largest(site.brand_ref)
            )
        if file is None:
            return None
        answer = answer_of(file, "not-found" if path == NOT_FOUND else "page")
        return self._keep(site, path, answer, zipped=True)

    def _keep(self, site: Site, path: str, answer: Answer, *, zipped: bool, cached: bool = True) -> Answer:
        """What is not cached is still shared while it is in use. Raises `Busy` where too much is."""
        key = (site.site_ref, site.version_ref or 0, path, zipped)
        answer = self.bodies.share(site.brand_ref, key, answer)
        if cached:
            self._answers.put(key, answer, len(answer.body) + OVERHEAD)
        return answer


def answer_of(file: StoredFile, page: Page) -> Answer:
    """Compressed, as it is stored. Each encoding has an ETag of its own, as HTTP wants it."""
    etag = file.etag.strip('"').encode("latin-1", "replace")
    headers = (
        (b"content-type", file.content_type.encode("latin-1", "replace")),
        (b"content-length", b"%d" % len(file.body)),
        (b"etag", b'"%s-gzip"' % etag),
        GZIP,
        VARY,
        NO_CACHE,
        KINDS[page],
        *SECURITY,
    )
    return make(404 if page == "not-found" else 200, headers, file.body, etag)


def unzipped(answer: Answer, body: bytes | memoryview, *, inflates: bool = False) -> Answer:
    """The same file without its encoding. `inflates`: `body` still has it, and loses it while it is sent."""
    length = plain_length(body) if inflates else len(body)
    changed = {b"content-length": b"%d" % length, b"etag": b'"%s"' % answer.etag}
    headers = ((name, changed.get(name, value)) for name, value in answer.headers if name != GZIP[0])
    return make(answer.status, headers, body, answer.etag, inflates=inflates)
