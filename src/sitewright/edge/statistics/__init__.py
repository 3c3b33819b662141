"""Views of pages by day, for account holders whose package has `siteAnalytics`."""
