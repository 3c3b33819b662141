"""The client of the examples, from the environment."""

import os

from sitewright_client import Basic, OAuth1

URL = os.environ["SITEWRIGHT_URL"]


def oauth() -> OAuth1:
    names = ("CONSUMER_KEY", "CONSUMER_SECRET", "ACCESS_TOKEN", "ACCESS_SECRET")
    consumer_key, consumer_secret, access_token, access_secret = (os.environ[f"SITEWRIGHT_{name}"] for name in names)
    return OAuth1(consumer_key, consumer_secret, access_token, access_secret)


def basic() -> Basic:
    return Basic(os.environ["SITEWRIGHT_USER"], os.environ["SITEWRIGHT_PASSWORD"])
