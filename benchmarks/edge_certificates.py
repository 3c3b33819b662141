"""What 100,000 automatic certificates add to the start time and the memory of an edge server."""

import asyncio

from benchmarks.figures import Figure, Goal
from benchmarks.measurement import Measurement
from benchmarks.service import Service, own_folder, running_service
from benchmarks.tls_certificates import bind, make
from benchmarks.tls_memory import LEAST_MIB, LEAST_SECONDS, MOST_MIB, MOST_SECONDS, STARTS, start

HOSTS = [f"automatic-{number}.bench.example" for number in range(100_000)]
START = Goal("3 s / what 100,000 automatic certificates add to the start time of the edge server", 1.0)
MEMORY = Goal("200 MiB / what 100,000 automatic certificates add to its memory", 1.0)


def measure(_: Service) -> list[Figure]:
    """In a service of its own, so that other figures are not affected by the rows."""
    with own_folder() as folder, running_service(folder) as service:
        quick, least = start(service, "none")
        asyncio.run(bind(service, make("EC P-256", HOSTS[0]), HOSTS, source="automatic"))
        slow, bound = start(service, "all")
    return [
        START.measured(
            MOST_SECONDS / max(slow - quick, LEAST_SECONDS),
            f"with none {quick:.2f} s, with all {slow:.2f} s, each the best of {STARTS}",
        ),
        MEMORY.measured(
            MOST_MIB / max(bound - least, LEAST_MIB), f"with none {least:.0f} MiB, with all {bound:.0f} MiB"
        ),
    ]


MEASUREMENT = Measurement(goals=[START, MEMORY], measure=measure)
