"""The sequencer, run once by a test without a worker."""

from sitewright.kit import clock
from tests.support.users import OwnerConnection


async def sequence_events(owner: OwnerConnection) -> None:
    """Number the events that have committed, and add their deliveries."""
    await owner.execute("select sequence_events($1, 1000)", clock.now())
