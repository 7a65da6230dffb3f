"""The digital twin: physics, camera and labels of a tumbler that is nowhere, from a seed."""
