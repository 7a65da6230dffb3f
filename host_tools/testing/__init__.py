"""For testers: a pytest plugin that runs the firmware on a desktop, with pins that a test drives."""
