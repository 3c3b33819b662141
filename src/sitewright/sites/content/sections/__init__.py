"""Ready-made sections: arrangements of widgets, defined in `sections.yaml`."""
