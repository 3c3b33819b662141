"""The media library: pictures of sites, their variants, and their delivery."""
