"""Sitewright: a self-hosted website provisioning and account service."""

__version__ = "0.3.0"
