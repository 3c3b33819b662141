"""`make bench`: measures everything, prints and saves the figures. Only a failed measurement is an error."""

import signal
import sys
from collections.abc import Sequence
from types import FrameType

from benchmarks import (
    catalogue_read,
    edge_processes,
    edge_read,
    expiry,
    idempotent_replay,
    media_read,
    media_upload,
    package_change,
    picture_variants,
    provisioning,
    publish_fairness,
    report,
    signed_read,
    tls_handshakes,
    tls_memory,
    user_create,
    user_report,
    users_read,
    webhook_delivery,
)
from benchmarks.figures import Figure, MeasurementFailed
from benchmarks.measurement import Measurement
from benchmarks.service import EVERY_CORE, own_folder, running_service
from sitewright.settings import load

MEASUREMENTS: list[Measurement] = [
    signed_read.MEASUREMENT,
    catalogue_read.MEASUREMENT,
    idempotent_replay.MEASUREMENT,
    user_create.MEASUREMENT,
    users_read.MEASUREMENT,
    user_report.MEASUREMENT,
    package_change.MEASUREMENT,
    provisioning.MEASUREMENT,
    publish_fairness.MEASUREMENT,
    edge_read.MEASUREMENT,
    media_read.MEASUREMENT,
    tls_handshakes.MEASUREMENT,
    edge_processes.MEASUREMENT,
    tls_memory.MEASUREMENT,
    expiry.MEASUREMENT,
    webhook_delivery.MEASUREMENT,
    picture_variants.MEASUREMENT,
    media_upload.MEASUREMENT,
]


def main() -> int:
    signal.signal(signal.SIGTERM, _leave)
    data_dir = load().data_path
    figures = _figures()
    report.show(figures)
    print(f"Saved to {report.save(figures, data_dir)}")
    return int(any(figure.is_broken for figure in figures))


def _figures() -> list[Figure]:
    own = [each for each in MEASUREMENTS if each.on_every_core]
    others = [each for each in MEASUREMENTS if not each.on_every_core]
    return [*_measured(own, api_processes=EVERY_CORE), *_measured(others, api_processes=1)]


def _measured(measurements: Sequence[Measurement], *, api_processes: int) -> list[Figure]:
    with own_folder() as folder:
        try:
            with running_service(folder, api_processes=api_processes) as service:
                return [figure for each in measurements for figure in each.run(service)]
        except MeasurementFailed as failure:
            return [figure for each in measurements for figure in each.failed(str(failure))]


def _leave(_number: int, _frame: FrameType | None) -> None:
    """Exit through every `with`, so that no server outlives this process."""
    sys.exit(1)


if __name__ == "__main__":
    sys.exit(main())
