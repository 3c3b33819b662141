from sitewright.accounts.clocks import service
from sitewright.accounts.clocks.errors import NotATestBrand, TestClockAdvancing
from sitewright.accounts.clocks.schemas import Advance, TestClockResponse
from sitewright.kit.auth.caller import NOT_RESELLERS
from sitewright.kit.http import BrandMismatch, Call, endpoint
from sitewright.kit.http.idempotency import is_stored
from sitewright.tenants.brands.errors import BrandNotFound

TEST_CLOCK = "/brands/{brand_ref:int}/test-clock"


@endpoint("GET", TEST_CLOCK, roles=NOT_RESELLERS, errors=(BrandMismatch, BrandNotFound, NotATestBrand))
async def get_test_clock(call: Call, brand_ref: int) -> TestClockResponse:
    """The time of a test brand, and whether its clock is being moved."""
    return TestClockResponse(await service.read_test_clock(call.tx, brand_ref))


async def _advance(call: Call) -> None:
    """Before the endpoint's transaction begins, so that no connection is held while everything due is done."""
    if call.brand_ref is not None and not await is_stored(call):
        request = call.body(Advance)
        call.prepared = await service.advance(call.resources, call.caller, call.brand_ref, request)


@endpoint(
    "POST",
    TEST_CLOCK + "/advance",
    roles=NOT_RESELLERS,
    body=Advance,
    prepare=_advance,
    may_continue=True,
    errors=(BrandMismatch, BrandNotFound, NotATestBrand, TestClockAdvancing),
)
async def advance_test_clock(call: Call, brand_ref: int) -> TestClockResponse:  # noqa: ARG001 - `_advance` has moved it
    """Move the clock of a test brand forwards. Renewals, ends of trials, reminders and ends of domains that are due on
    the way are done once each, in their order, each at its own time.

    After 20 seconds the status is 202, and `time` is the time reached so far. The clock goes on; to wait for the end,
    read the test clock until its `status` is `ready`. While a call waits, another one gets 409 `testClockAdvancing`.
    """
    if call.prepared.status == "advancing":
        call.status = 202
    return TestClockResponse(call.prepared)


endpoints = [get_test_clock, advance_test_clock]
