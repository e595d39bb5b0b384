#!/bin/bash
# A Slurm of one node on this machine, for tests: `one_node.sh start FOLDER`, `one_node.sh stop FOLDER`.
#
# It needs root and Debian's packages slurm-wlm and munge, no systemd and no cgroups. All that it
# writes lies in FOLDER, which must be short, for sockets lie in it; /etc is left as it is. Whoever
# sets SLURM_CONF to FOLDER/slurm.conf talks to it.
set -eu
folder=$2
name=$(hostname -s)

stop() {
    for daemon in slurmd slurmctld munged; do
        [ -f "$folder/$daemon.pid" ] || continue
        pid=$(cat "$folder/$daemon.pid")
        kill "$pid" 2>/dev/null || true
        for _ in $(seq 100); do
            kill -0 "$pid" 2>/dev/null || break
            sleep 0.1
        done
        rm -f "$folder/$daemon.pid"
    done
}

start() {
    mkdir -p "$folder/state" "$folder/spool"
    chmod 755 "$folder"
    head -c 128 /dev/urandom > "$folder/munge.key"
    chmod 600 "$folder/munge.key"
    # More processors are declared than there are, so that tasks need not wait for each other.
    cat > "$folder/slurm.conf" <<CONF
ClusterName=one
SlurmctldHost=$name(127.0.0.1)
SlurmctldPort=16817
SlurmdPort=16818
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=1
MinJobAge=3600
KillWait=5
SlurmdParameters=config_overrides
NodeName=$name NodeAddr=127.0.0.1 CPUs=8 Boards=1 SocketsPerBoard=1 CoresPerSocket=8 ThreadsPerCore=1 RealMemory=20000 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
    export SLURM_CONF=$folder/slurm.conf
    munged --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" \
        --pid-file="$folder/munged.pid" --log-file="$folder/munged.log" \
        --seed-file="$folder/munge.seed"
    slurmctld
    slurmd
    for _ in $(seq 300); do
        [ "$(sinfo --noheader --format=%T 2>/dev/null)" = idle ] && return
        sleep 0.2
    done
    echo "Slurm did not start within a minute:" >&2
    tail -n 5 "$folder"/*.log >&2
    stop
    exit 1
}

case $1 in
start) start ;;
stop) stop ;;
esac
