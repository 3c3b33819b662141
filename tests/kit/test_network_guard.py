"""The destination guard: which addresses are public, form by form."""

import pytest

from sitewright.kit.network_guard import Guard

REFUSED = [
    # IPv4
    "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.254", "127.0.0.1",  # noqa: S104
    "127.1.2.3",
    "127.255.255.255", "169.254.0.1", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.0.9",
    "192.0.0.170", "192.0.2.1", "192.88.99.1", "192.168.0.1", "192.168.255.255", "198.18.0.1", "198.19.255.255",
    "198.51.100.7", "203.0.113.7", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255",
    # IPv6
    "::", "::1", "fe80::1", "fe80::1%eth0", "fec0::1", "fc00::1", "fd00:ec2::254", "ff02::1", "ff0e::1", "100::1",
    "2001::1", "2001:2::1", "2001:10::1", "2001:20::1", "2001:db8::1", "3fff::1", "5f00::1", "4000::1", "e000::1",
    # IPv4 inside IPv6: mapped, translated, compatible
    "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:a9fe:a9fe", "::ffff:0.0.0.0", "::ffff:0:10.0.0.1",
    "::127.0.0.1", "::10.0.0.1", "::0.0.0.2",
    # NAT64, the well-known prefix and networks' own
    "64:ff9b::127.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::10.0.0.1", "64:ff9b:1::127.0.0.1",
    "64:ff9b:1:a00:0:100::", "64:ff9b:1:ffff::8.8.8.8", "64:ff9b:2::8.8.8.8",
    # 6to4 and Teredo
    "2002:7f00:1::1", "2002:a00:1::1", "2002:c0a8:101::1", "2002:a9fe:a9fe::", "2002:e000:1::",
    "2001:0:7f00:1::1", "2001::80ff:fffe", "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    # No addresses
    "", "localhost", "127.1", "2130706433", "0x7f000001", "017700000001", "1.2.3.4.5", "::g", "[::1]", "8.8.8.8 ",
]  # fmt: skip
ALLOWED = [
    "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.1", "100.63.255.255", "100.128.0.1", "126.255.255.255", "128.0.0.1",
    "169.253.255.255", "172.15.255.255", "172.32.0.1", "192.0.1.1", "192.167.255.255", "198.17.255.255", "198.20.0.1",
    "223.255.255.255", "2606:4700:4700::1111", "2a00:1450:4001::200e", "2001:4860:4860::8888", "2400:cb00::1",
    "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "64:ff9b:1::8.8.8.8", "2002:808:808::1", "::8.8.8.8", "::ffff:0:8.8.8.8",
]  # fmt: skip


def test_there_are_enough_vectors() -> None:
    assert len({*REFUSED, *ALLOWED}) >= 60


@pytest.mark.parametrize("address", REFUSED)
def test_other_than_public_unicast_addresses_are_refused(address: str) -> None:
    assert not Guard().allows(address)


@pytest.mark.parametrize("address", ALLOWED)
def test_public_unicast_addresses_are_allowed(address: str) -> None:
    assert Guard().allows(address)


@pytest.mark.parametrize("address", ["10.1.2.3", "::ffff:10.1.2.3", "64:ff9b::10.1.2.3", "fd12::1", "8.8.8.8"])
def test_a_deployment_may_allow_networks(address: str) -> None:
    assert Guard(["10.1.0.0/16", "fd12::/16"]).allows(address)


@pytest.mark.parametrize("address", ["10.2.0.1", "127.0.0.1", "::1", "::ffff:10.2.0.1", "fd13::1", "169.254.169.254"])
def test_networks_that_are_not_allowed_stay_refused(address: str) -> None:
    assert not Guard(["10.1.0.0/16", "fd12::/16"]).allows(address)
