"""Authorizations and their challenges (RFC 8555, 7.5): validated in the background, as at public authorities."""

import asyncio

import aiohttp

from sitewright.demo.authority.behavior import Fault, Faults, Policy
from sitewright.demo.authority.limiting import RateLimiter
from sitewright.demo.authority.objects import Account, Authorization, Challenge
from sitewright.demo.authority.problems import AcmeProblem, not_found, unauthorized
from sitewright.demo.authority.registry import Registry
from sitewright.demo.authority.validation import SECONDS, Network, validate_dns, validate_http


class Challenges:
    def __init__(
        self, registry: Registry, policy: Policy, faults: Faults, limiter: RateLimiter, network: Network
    ) -> None:
        self._registry = registry
        self._policy = policy
        self._faults = faults
        self._limiter = limiter
        self._network = network
        self._validating: set[asyncio.Task[None]] = set()
        self._session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=SECONDS))

    def find(self, account: Account, ref: str) -> tuple[Authorization, Challenge]:
        authorization_ref, _, challenge_ref = ref.partition(".")
        authorization = self._registry.find(self._registry.authorizations, authorization_ref, account)
        for challenge in authorization.challenges:
            if challenge.ref == challenge_ref:
                return authorization, challenge
        raise not_found("the challenge")

    def start(self, account: Account, authorization: Authorization, challenge: Challenge) -> None:
        """Begin to validate; a challenge is validated once."""
        if authorization.status != "pending" or challenge.status != "pending":
            return
        challenge.status = "processing"
        task = asyncio.create_task(self._validate(account, authorization, challenge))
        self._validating.add(task)
        task.add_done_callback(self._validating.discard)

    def deactivate(self, authorization: Authorization) -> None:
        authorization.status = "deactivated"
        self._registry.save(authorization)

    async def close(self) -> None:
        for task in self._validating:
            task.cancel()
        await asyncio.gather(*self._validating, return_exceptions=True)
        await self._session.close()

    async def _validate(self, account: Account, authorization: Authorization, challenge: Challenge) -> None:
        try:
            await self._check(account, authorization, challenge)
        except AcmeProblem as problem:
            challenge.status, challenge.error, authorization.status = "invalid", problem.document, "invalid"
            self._limiter.count_failure(authorization.host, self._policy.now())
        else:
            challenge.status, challenge.validated, authorization.status = "valid", self._policy.now(), "valid"
        self._registry.save(authorization)

    async def _check(self, account: Account, authorization: Authorization, challenge: Challenge) -> None:
        if authorization.host in self._faults.rejected_hosts or self._faults.take(Fault.REJECTED):
            raise unauthorized("rejected on demand")
        expected = f"{challenge.token}.{account.thumbprint}"
        if challenge.type == "http-01":
            await validate_http(self._network, self._session, authorization.host, challenge.token, expected)
        else:
            await validate_dns(self._network, authorization.host, expected)
