from sitewright.catalogue.packages import service
from sitewright.catalogue.packages.errors import PackageNotFound
from sitewright.catalogue.packages.schemas import Package, PackageFilter, Packages
from sitewright.catalogue.vendor_names import with_vendor_names
from sitewright.kit.http import BrandMismatch, Call, endpoint
from sitewright.kit.paging import set_links
from sitewright.tenants.brands.errors import BrandNotFound


@endpoint(
    "GET",
    "/brands/{brand_ref:int}/packages",
    query=PackageFilter,
    list_field="packages",
    errors=(BrandMismatch, BrandNotFound),
)
async def list_packages(call: Call, brand_ref: int) -> Packages:  # noqa: ARG001 - the transaction is for this brand
    """The packages of a brand, with those that belong to every brand.

    A reseller sees its own prices in place of the brand's, for the same currency and period.
    """
    wanted = call.query(PackageFilter)
    packages, page = await service.list_packages(call.tx, wanted, call.caller.reseller_ref)
    set_links(call, wanted.window, page)
    return with_vendor_names(Packages(packages), call.resources.settings)


@endpoint("GET", "/packages/{package_ref:int}", errors=(PackageNotFound,))
async def get_package(call: Call, package_ref: int) -> Package:
    """One package of the brand. A reseller sees its own prices in place of the brand's."""
    package = await service.get_package(call.tx, package_ref, call.caller.reseller_ref)
    return with_vendor_names(Package(package), call.resources.settings)


endpoints = [list_packages, get_package]
