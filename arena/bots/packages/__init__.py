"""Packages of bots: the folders that authors submit, as archives that are safe to unpack.

    folder ──▶ packing ──▶ archive (tar.gz) ──▶ unpacking ──▶ folder
                                  │
                                  └─ tar_stream, path_rules: every rule that an archive can break

The SDK reads and packs the folder, for authors without the arena. `package_check` has the content hash, which names
what is in a package, however it was packed. This room knows nothing of boxes, of the store or of the network. It never
follows a link, and never keeps more in memory than one file of a folder.
"""
