"""The overview of a brand: its figures for any period, compared with the period before."""
