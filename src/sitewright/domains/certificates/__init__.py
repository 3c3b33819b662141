"""Certificates of sites' domains: checked, sealed, bound to host names, watched until they expire."""
