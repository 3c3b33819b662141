"""Which site of an account a described site is, and in what they differ; without a database."""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from sitewright.kit.hosts import normalize
from sitewright.kit.problems import FieldErrors
from sitewright.provisioning.accounts.requests import AccountDescription
from sitewright.provisioning.accounts.state import DomainState, SiteState
from sitewright.sites.sites.domains import service as domains


class PlannedSite(msgspec.Struct, frozen=True, kw_only=True):
    """A described site; `path` is its place in the request. None: not described."""

    path: str
    domain: str
    others: list[str] | None
    business_name: str | None
    template_ref: int | UnsetType | None
    published: bool | None

    def path_of(self, name: str) -> str:
        """The place of a host name in the request."""
        if name == self.domain or self.others is None or name not in self.others:
            return f"{self.path}.domain"
        return f"{self.path}.domains[{self.others.index(name)}]"


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """What must be done to an existing site; None or empty: nothing."""

    unmap: list[DomainState]
    map: list[str]
    changes_primary: bool
    template_ref: int | UnsetType | None
    business_name: str | None
    published: bool | None

    @property
    def any(self) -> bool:
        return bool(
            self.unmap
            or self.map
            or self.changes_primary
            or self.template_ref is not UNSET
            or self.business_name is not None
            or self.published is not None
        )


def plan_sites(description: AccountDescription) -> list[PlannedSite] | None:
    """None: the sites are not described."""
    if description.sites is UNSET:
        return None
    return [
        PlannedSite(
            path=f"sites[{index}]",
            domain=normalize(site.domain),
            others=None
            if site.domains is UNSET
            else [name for each in site.domains or [] if (name := normalize(each)) != normalize(site.domain)],
            business_name=None if site.business_name is UNSET else site.business_name or "",
            template_ref=site.template_ref,
            published=None if site.published is UNSET else site.published,
        )
        for index, site in enumerate(description.sites or [])
    ]


def check_names(sites: Sequence[dict[str, Any]]) -> FieldErrors:
    """Check the host names of described sites, by attribute, as far as they could be read."""
    errors: FieldErrors = {}
    seen: set[str] = set()
    for index, site in enumerate(sites):
        named = [(f"sites[{index}].domain", site["domain"])] if isinstance(site.get("domain"), str) else []
        for number, name in enumerate(site.get("domains") or []):
            named.append((f"sites[{index}].domains[{number}]", name))
        for path, name in named:
            errors |= _check_name(path, name, seen)
    return errors


def _check_name(path: str, name: str, seen: set[str]) -> FieldErrors:
    errors = domains.check_name(path, name)
    if errors:
        return errors
    if (host := normalize(name)) in seen:
        return {path: {domains.CODE: "is described twice"}}
    seen.add(host)
    return {}


def match(states: Sequence[SiteState], planned: Sequence[PlannedSite]) -> list[SiteState | None]:
    """The existing site of each described one: that with this primary domain, else that which has the domain."""
    by_primary = {state.primary: state for state in states}
    matched = [by_primary.get(site.domain) for site in planned]
    taken = {state.ref for state in matched if state is not None}
    by_name = {name: state for state in states if state.ref not in taken for name in state.names}
    for index, site in enumerate(planned):
        found = by_name.get(site.domain)
        if matched[index] is None and found is not None and found.ref not in taken:
            matched[index] = found
            taken.add(found.ref)
    return matched


def difference(state: SiteState, site: PlannedSite) -> Difference:
    wanted = None if site.others is None else {site.domain, *site.others}
    return Difference(
        unmap=[] if wanted is None else [each for each in state.domains if each.name not in wanted],
        map=[name for name in site.others or [] if name not in state.names],
        changes_primary=state.primary != site.domain,
        template_ref=UNSET if site.template_ref == state.template_ref else site.template_ref,
        business_name=None if site.business_name == state.business_name else site.business_name,
        published=None if site.published == state.published else site.published,
    )


def unplanned(states: Sequence[SiteState], matched: Sequence[SiteState | None]) -> list[SiteState]:
    """The sites that are not described."""
    kept = {state.ref for state in matched if state is not None}
    return [state for state in states if state.ref not in kept]
