"""Frames of the platform -> three faces proven flat, or a refusal with its reason."""

from .gather import FrameError
from .profile import ProfileError, load_profile
from .reading import Reader, Reading

__all__ = ("FrameError", "ProfileError", "Reader", "Reading", "load_profile")
