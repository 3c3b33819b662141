"""The cost of authentication, isolation and logging: a signed GET compared with the same query without them."""

from benchmarks.contest import Contestant, compete
from benchmarks.figures import Figure, Goal
from benchmarks.measurement import Measurement
from benchmarks.peer import running_peer
from benchmarks.service import Service
from benchmarks.signing import authorization

AGAINST_BARE = Goal("signed GET / bare asyncpg + msgspec handler", 0.4)
AGAINST_ORM = Goal("signed GET / FastAPI + SQLAlchemy ORM handler", 2)
BRAND = 1
PATH = f"/brands/{BRAND}/languages"


def measure(service: Service) -> list[Figure]:
    with (
        running_peer("bare", service, ready_path=PATH) as bare_url,
        running_peer("orm", service, ready_path=PATH) as orm_url,
    ):
        signed, bare, orm = compete(
            "signed reads",
            signed_contestant(service, PATH),
            Contestant("bare", bare_url + PATH),
            Contestant("ORM", orm_url + PATH),
        )
    return [signed.against(bare, AGAINST_BARE), signed.against(orm, AGAINST_ORM)]


def signed_contestant(service: Service, path: str) -> Contestant:
    url, credentials = service.url + path, service.credentials(BRAND)
    return Contestant("service", url, lambda: {"Authorization": authorization(credentials, "GET", url)})


MEASUREMENT = Measurement(goals=[AGAINST_BARE, AGAINST_ORM], measure=measure)
