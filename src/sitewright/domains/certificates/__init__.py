"""Certificates of sites' domains: validated, sealed, bound to host names, monitored until they expire."""
