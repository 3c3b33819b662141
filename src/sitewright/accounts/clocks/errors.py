from datetime import datetime

from sitewright.kit.problems import Conflict
from sitewright.kit.timestamps import iso_utc


class NotATestBrand(Conflict):
    code = "notATestBrand"
    title = "Not a test brand"
    detail = "Only the clock of a test brand can be read and moved: one created with testMode: true in the catalogue."


class TestClockAdvancing(Conflict):
    code = "testClockAdvancing"
    title = "The clock is being moved"
    detail = "The brand's clock is being moved by another call. Wait for its end: GET the test clock."

    @classmethod
    def between(cls, reached: datetime, target: datetime) -> "TestClockAdvancing":
        return cls(
            f"The brand's clock is being moved to {iso_utc(target)} and has reached {iso_utc(reached)}. Wait until the"
            " status of the test clock is ready; then send this call."
        )
