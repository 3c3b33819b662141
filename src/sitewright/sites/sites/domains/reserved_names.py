"""Reserved names below a brand's domain, which users, mail programs or browsers trust.

A page on `login.<brand domain>` looks like the brand's own, `mta-sts` or `autoconfig` would configure mail for the
whole domain, and `wpad` would configure proxies.
"""

from sitewright.kit.auth.caller import Caller, Role
from sitewright.tenants.brands.schemas import BrandSettings

_BRAND_PAGES = """
    www www1 www2 www3 login log-in logon signin sign-in signup sign-up register logout auth oauth sso idp id identity
    password secure security account accounts my portal client customer member user console dashboard panel control
    controlpanel admin administrator root sysadmin system staff internal intranet manage manager reseller resellers
    partner partners cpanel whm plesk webdisk billing invoice invoices pay payment payments checkout support help
    helpdesk status abuse app api docs developer developers editor cdn static assets
"""
_MAIL = """
    mail mail1 mail2 email webmail mailserver smtp smtps imap imaps imap4 pop pop3 mx autodiscover autoconfig mta-sts
    postmaster hostmaster webmaster noreply no-reply openpgpkey
"""
_INFRASTRUCTURE = """
    ns dns ftp ftps sftp ssh vpn proxy gateway ldap sip lyncdiscover enterpriseenrollment enterpriseregistration
    wpad isatap localhost localdomain broadcasthost
"""
_NUMBERED = frozenset(f"{name}{number}" for name in ("ns", "dns", "mx") for number in range(9))
RESERVED = frozenset(f"{_BRAND_PAGES} {_MAIL} {_INFRASTRUCTURE}".split()) | _NUMBERED


def is_reserved(caller: Caller, brand: BrandSettings, host: str) -> bool:
    """Whether the host is reserved for this caller, by the label directly below the brand's domain.

    A system-owner can map all of them, the brand's own callers those that the brand's settings allow, resellers none.
    """
    below = f".{(brand.domain or '').lower()}"
    if brand.domain is None or caller.role is Role.SYSTEM_OWNER or not host.endswith(below):
        return False
    label = host.removesuffix(below).rpartition(".")[2]
    is_allowed = label in brand.allowed_reserved_names and caller.reseller_ref is None
    return not is_allowed and (label in RESERVED or label in brand.reserved_names)
