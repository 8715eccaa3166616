"""`arena check`: finds the bot and the steps, runs the steps, shows the results and writes them for CI."""
