"""The records of domains with mailboxes."""

from sitewright.domains.health.checks.names import no_answer
from sitewright.domains.health.facts import Facts
from sitewright.domains.health.findings import Finding, Status, listed, quoted, record

NULL_MX = "."
POLICIES = ("none", "quarantine", "reject")


def no_mailboxes(code: str) -> Finding:
    return Finding(code=code, status=Status.SKIPPED, reason="noMailboxes")


def mx(facts: Facts) -> Finding:
    code, mail, host = "mx", facts.mail, facts.here.mail_host
    if mail is None:
        return no_mailboxes(code)
    if not mail.mx.is_known:
        return no_answer(code, mail.mx, host or None)
    servers = [each.partition(" ")[2] for each in mail.mx.values]
    real = [each for each in servers if each != NULL_MX]
    if not real:
        status, reason = Status.FAILING, "mxMissing" if host else "mxUnknown"
    elif not host:
        status, reason = Status.OK, "mxPresent"
    elif host not in real:
        status, reason = Status.FAILING, "mxElsewhere"
    else:
        others = [each for each in real if each != host]
        status, reason = (Status.ATTENTION, "mxAlsoElsewhere") if others else (Status.OK, "mxRight")
    return Finding(
        code=code,
        status=status,
        reason=reason,
        expected=host or None,
        found=listed(mail.mx.values),
        facts={"domain": mail.domain},
        records=[record(mail.domain, "MX", f"10 {host}.")] if host and status is not Status.OK else [],
    )


def spf(facts: Facts) -> Finding:
    code, mail = "spf", facts.mail
    if mail is None:
        return no_mailboxes(code)
    host = facts.here.mail_host
    wanted = "v=spf1 mx ~all"
    if not mail.spf.is_known:
        return no_answer(code, mail.spf, wanted)
    policies = [each for each in mail.spf.values if _is_spf(each)]
    if len(policies) > 1:
        status, reason = Status.FAILING, "spfTwo"
    elif not policies:
        status, reason = Status.ATTENTION, "spfMissing"
    elif not _allows_sending(policies[0], host):
        status, reason = Status.FAILING, "spfForbids"
    else:
        status, reason = Status.OK, "spfRight"
    return _text_finding(code, status, reason, mail.domain, mail.domain, wanted, policies)


def _is_spf(text: str) -> bool:
    return text.lower() == "v=spf1" or text.lower().startswith("v=spf1 ")


def _allows_sending(policy: str, mail_host: str) -> bool:
    """Whether the policy has a mechanism that may match the mail server. Other policies are not followed."""
    terms = [each.lstrip("+?~").lower() for each in policy.split()[1:]]
    positive = [each for each in terms if not each.startswith("-") and each != "all"]
    named = {"mx", "a", f"a:{mail_host}", f"mx:{mail_host}"}
    indirect = ("include:", "redirect=", "ip4:", "ip6:", "exists:", "a:", "mx:", "mx/", "a/")
    return "?all" in policy.lower() or any(each in named or each.startswith(indirect) for each in positive)


def dkim(facts: Facts) -> Finding:
    code, mail = "dkim", facts.mail
    if mail is None:
        return no_mailboxes(code)
    result, wanted = mail.dkim, mail.dkim_value
    if result is None or wanted is None:
        return Finding(code=code, status=Status.SKIPPED, reason="dkimNotManaged")
    if not result.is_known:
        return no_answer(code, result, wanted)
    keys = [each for each in result.values if "p=" in each]
    if not keys:
        status, reason = Status.ATTENTION, "dkimMissing"
    elif _public_key(wanted) not in map(_public_key, keys):
        status, reason = Status.FAILING, "dkimWrong"
    else:
        status, reason = Status.OK, "dkimRight"
    return _text_finding(code, status, reason, mail.domain, result.name, wanted, keys)


def _public_key(text: str) -> str:
    tags = (each.strip().partition("=") for each in text.split(";"))
    return next((value.replace(" ", "") for name, _, value in tags if name.strip() == "p"), "")


def dmarc(facts: Facts) -> Finding:
    code, mail = "dmarc", facts.mail
    if mail is None:
        return no_mailboxes(code)
    name, wanted = f"_dmarc.{mail.domain}", "v=DMARC1; p=quarantine"
    if not mail.dmarc.is_known:
        return no_answer(code, mail.dmarc, wanted)
    policies = [each for each in mail.dmarc.values if each.replace(" ", "").lower().startswith("v=dmarc1")]
    if len(policies) > 1:
        status, reason = Status.FAILING, "dmarcTwo"
    elif not policies:
        status, reason = Status.ATTENTION, "dmarcMissing"
    elif _policy(policies[0]) not in POLICIES:
        status, reason = Status.FAILING, "dmarcInvalid"
    else:
        status, reason = Status.OK, "dmarcRight"
    return _text_finding(code, status, reason, mail.domain, name, wanted, policies)


def _policy(text: str) -> str:
    tags = (each.strip().partition("=") for each in text.split(";"))
    return next((value.strip().lower() for name, _, value in tags if name.strip().lower() == "p"), "")


def _text_finding(
    code: str, status: Status, reason: str, domain: str, name: str, wanted: str, found: list[str]
) -> Finding:
    return Finding(
        code=code,
        status=status,
        reason=reason,
        expected=wanted,
        found=listed(found),
        facts={"domain": domain, "name": name},
        records=[] if status is Status.OK else [record(name, "TXT", quoted(wanted))],
    )
