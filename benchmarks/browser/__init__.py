"""What the measurements in Debian's Chromium share."""
