"""Redirects from former addresses of a site: to pages, which keep them automatically, and to other websites."""
