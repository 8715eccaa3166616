"""Joins everything into a server: nothing else connects what declares a port with what implements it."""
