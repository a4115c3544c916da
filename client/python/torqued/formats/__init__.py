"""Containers of trajectories."""
