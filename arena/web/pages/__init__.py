"""The pages: each module has the function of a page, or of a few that belong together, and the values they show."""
