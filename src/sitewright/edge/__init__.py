"""The edge server (site listener): serves every published site on its own host names."""
