"""Stands in for thop.profile: no layer's operations are counted."""
register_hooks = {}
