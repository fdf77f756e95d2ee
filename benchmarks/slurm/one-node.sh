#!/usr/bin/env bash
# A Slurm of one node on this machine, to try ./prpf launch --to slurm on. As root; Debian: apt-get install slurm-wlm munge
#   benchmarks/slurm/one-node.sh start FOLDER     # FOLDER: configuration, state and logs; then: export SLURM_CONF=FOLDER/slurm.conf
#   benchmarks/slurm/one-node.sh stop FOLDER
set -euo pipefail
verb=${1:?start or stop} folder=$(realpath -m "${2:?a folder}")
host=$(hostname -s)

configuration() {
  cat << END
ClusterName=one
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=cred_expire=5
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
SchedulerParameters=sched_interval=5,bf_interval=5
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=$(($(free -m | awk '/^Mem:/ {print $2}') - 512)) State=UNKNOWN
PartitionName=one Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
}

start() {
  mkdir -p "$folder/state" "$folder/spool"
  configuration > "$folder/slurm.conf"
  export SLURM_CONF=$folder/slurm.conf
  [ -s /etc/munge/munge.key ] || runuser -u munge -- mungekey --create
  mkdir -p /run/munge && chown munge /run/munge
  munge -n > /dev/null 2>&1 || runuser -u munge -- munged
  slurmctld
  slurmd
  for _ in $(seq 50); do
    [ "$(sinfo --noheader --format=%T 2> /dev/null)" = idle ] && break
    sleep 0.2
  done
  sinfo
  echo "export SLURM_CONF=$SLURM_CONF"
}

stop() {
  for daemon in slurmd slurmctld; do
    [ ! -s "$folder/$daemon.pid" ] || kill "$(cat "$folder/$daemon.pid")"
  done
}

"$verb"
