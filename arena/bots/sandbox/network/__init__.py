"""The network of boxes: how often a program may connect, and the way of a build to named package indexes."""
