"""Property tests have no deadline: how busy the machine is says nothing about what they check."""

from hypothesis import settings

settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")
