"""Packages of bots: the folders that authors hand in, as archives that are safe to unpack.

    folder ──▶ packing ──▶ archive (tar.gz) ──▶ unpacking ──▶ folder
                                  │
                                  └─ tar_stream, path_rules: every rule that an archive can break

`content_hash` names what is in a package, however it was packed. The package knows nothing of boxes, of the store or of
the network. It never follows a link, and never keeps more in memory than one file of a folder.
"""
