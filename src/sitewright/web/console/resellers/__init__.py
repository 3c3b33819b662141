"""The resellers of a brand and their prices."""
