"""The installation, for system-owners: brands, nodes, the queue, the database and the settings."""
