"""The host names of sites: which may be mapped, by whom, and what becomes of them."""
