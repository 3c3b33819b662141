"""The sites of a brand: which are online, why others are not, versions, domains and visits."""
