"""Stands in for platformdirs."""


def user_cache_dir(*arguments, **options):
    return "cache"
