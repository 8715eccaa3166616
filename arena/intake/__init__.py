"""Takes in the packages that owners upload: the bytes, the check, the acceptance.

    rpc ──▶ Intake.begin, receive, finish ──▶ packages (check) ──▶ stored_packages (file by content hash)
                                                              └──▶ store (submission, quotas)
        ──▶ OwnSubmissions: what an owner may see of them and do with them

The package implements ports that `rpc` declares. It builds and runs nothing.
"""
