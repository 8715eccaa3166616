"""Takes in the packages that owners upload: the bytes, the check, the acceptance.

    rpc ──▶ Intake.begin, receive, finish ─┬──▶ packages (check) ──▶ package_files (archives by hash)
    web ──▶ Intake.submit ─────────────────┘                    └──▶ store (submission, quotas)
    both ──▶ OwnSubmissions: what an owner may see of them and do with them

`server_intake` opens both for a server, also in another process than the server. The package builds and runs nothing.
"""
