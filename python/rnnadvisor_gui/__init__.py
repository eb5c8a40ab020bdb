"""The window of rnnadvisor: `rnnadvisor-gui`, or `python -m rnnadvisor_gui`."""
