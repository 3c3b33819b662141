"""The modules of billing panels, through the functions that the panels call, in Debian's php-cli."""
