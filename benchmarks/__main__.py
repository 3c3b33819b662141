"""`make bench`: measures everything, prints and saves the figures. Only a failed measurement is an error.

Names as arguments (`make bench ONLY="editor_speed site_speed"`) measure only those.
"""

import signal
import sys
from collections.abc import Sequence
from types import FrameType

from benchmarks import (
    audit_chain,
    brand_transfer,
    catalogue_read,
    certificate_orders,
    clock_advance,
    converging_call,
    domain_health,
    edge_certificates,
    edge_processes,
    edge_read,
    editor_speed,
    event_feed,
    expiry,
    idempotent_replay,
    idle_memory,
    media_read,
    media_upload,
    node_scaling,
    package_change,
    picture_variants,
    provisioning,
    publish_fairness,
    report,
    signed_read,
    site_speed,
    start_up,
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

MODULES = [
    signed_read,
    catalogue_read,
    idempotent_replay,
    user_create,
    users_read,
    user_report,
    brand_transfer,
    package_change,
    audit_chain,
    provisioning,
    publish_fairness,
    edge_read,
    media_read,
    tls_handshakes,
    edge_processes,
    node_scaling,
    tls_memory,
    certificate_orders,
    converging_call,
    edge_certificates,
    clock_advance,
    expiry,
    webhook_delivery,
    event_feed,
    domain_health,
    picture_variants,
    media_upload,
    editor_speed,
    site_speed,
    start_up,
    idle_memory,
]
MEASUREMENTS: dict[str, Measurement] = {
    module.__name__.removeprefix("benchmarks."): module.MEASUREMENT for module in MODULES
}


def main(names: Sequence[str]) -> int:
    unknown = [name for name in names if name not in MEASUREMENTS]
    if unknown:
        print(f"There is no measurement {', '.join(unknown)}. Choose from: {', '.join(MEASUREMENTS)}")
        return 1
    signal.signal(signal.SIGTERM, _leave)
    data_dir = load().data_path
    figures = _figures([MEASUREMENTS[name] for name in names or MEASUREMENTS])
    report.show(figures)
    print(f"Saved to {report.save(figures, data_dir)}")
    return int(any(figure.is_broken for figure in figures))


def _figures(chosen: Sequence[Measurement]) -> list[Figure]:
    own = [each for each in chosen if each.on_every_core]
    others = [each for each in chosen if not each.on_every_core]
    return [*_measured(own, api_processes=EVERY_CORE), *_measured(others, api_processes=1)]


def _measured(measurements: Sequence[Measurement], *, api_processes: int) -> list[Figure]:
    if not measurements:
        return []
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
    sys.exit(main(sys.argv[1:]))
