"""The site listener: visitors of every site, on its own host names."""
