"""Nodes on the machines of a Ray cluster. Only the processes named here load Ray, and only if they are asked for.

    runner ── calls, a line for each node ──▶ bridge: Ray's driver ── actor calls ──▶ actor ── line ──▶ node, bots
    this machine                              this machine                            a machine of the cluster

    cluster_fleet    the runner's end: starts the bridge, and asks it for nodes
    calls            declares what the bridge can do
    bridge           the process that speaks to Ray; it carries the bytes of each line in calls of an actor
    node_actor       the actor, which has a core of its machine, a node as its child and a folder for it
    batches          few calls that carry much
    machine          what has to be equal on both machines
    programs         bots as archives, and where a machine unpacked them

Whatever ends cuts the line behind it: if runner, bridge, actor or machine goes, its nodes and their bots end.
"""
