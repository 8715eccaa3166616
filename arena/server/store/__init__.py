"""Persistent storage in one folder: matches and results, deals, leagues, pools, owners and what they submit, journals.

`data_folder` lists the files. The package implements ports that inner packages declare. It knows no match clock and no
network.
"""
