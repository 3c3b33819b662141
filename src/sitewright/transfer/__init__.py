"""Export of a brand to one archive, and import into another installation (decisions 0165 and 0166)."""
