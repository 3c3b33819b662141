"""Sequences of refs, where refs are chosen by somebody else: an imported archive, a catalogue file."""
