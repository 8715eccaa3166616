"""Joins everything into a server. Only this room joins the outer rooms."""
