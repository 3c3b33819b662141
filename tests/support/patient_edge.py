"""The edge server without timeouts that a slow machine meets, as a command: `python -m tests.support.patient_edge`.

Cached sites and certificates stay fresh for a day instead of 30 seconds, so that a change that becomes visible was
notified, however long that took.
"""

from pytest import MonkeyPatch

from sitewright.cli import main
from sitewright.edge import certificate_cache, host_cache, site_cache
from tests.support.timeouts import HANG_SECONDS

DAY_SECONDS = 86_400.0


def only_notifications_invalidate(patch: MonkeyPatch) -> None:
    patch.setattr(host_cache, "FRESH_SECONDS", DAY_SECONDS)


def wait_for_look_ups(patch: MonkeyPatch) -> None:
    """Neither the default certificate nor a stale page is served because the database responds slowly."""
    patch.setattr(certificate_cache, "LOOKUP_TIMEOUT_SECONDS", HANG_SECONDS)
    patch.setattr(site_cache, "MAX_WAIT_SECONDS", HANG_SECONDS)
    patch.setattr(site_cache, "REVALIDATE_TIMEOUT_SECONDS", HANG_SECONDS)


if __name__ == "__main__":
    only_notifications_invalidate(MonkeyPatch())
    wait_for_look_ups(MonkeyPatch())
    main()
