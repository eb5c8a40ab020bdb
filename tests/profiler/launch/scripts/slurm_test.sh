#!/usr/bin/env bash
# slurm_test.sh RNNADVISOR PROBE: docs/profiling.md's ways under Slurm, in jobs of a cluster of one node that is made for the
# purpose: munged, slurmctld and slurmd of Debian's slurm-wlm, with keys, ports and folders of their own. PROBE is a program that
# calls the stand-in for cuDNN. Without the tools, or without root, it skips and says so.
set -euo pipefail
rnnadvisor=$1
probe=$2
skip() { printf 'NOT RUN: %s\n' "$*"; exit 77; }
[ "$(id -u)" = 0 ] || skip "slurmd needs root"
for tool in munged slurmctld slurmd srun sbatch scontrol sqlite3; do
  command -v "$tool" >/dev/null || PATH=$PATH:/usr/sbin
  command -v "$tool" >/dev/null || skip "$tool is missing (Debian: slurm-wlm munge sqlite3)"
done
work=$(mktemp -d)
pids=()
finish() {
  local status=$?
  [ ${#pids[@]} = 0 ] || kill "${pids[@]}" 2>/dev/null || true
  wait || true
  if [ "$status" != 0 ] && [ "$status" != 77 ]; then tail -n 20 "$work"/*.log >&2 || true; fi
  rm -rf "$work"
  exit "$status"
}
trap finish EXIT
fail() { printf '%s\n' "$*" >&2; exit 1; }
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("", 0)); print(s.getsockname()[1])'; }

chmod 755 "$work"
mkdir -m 755 "$work/munge" "$work/state" "$work/spool" "$work/shared"
head -c 1024 /dev/urandom >"$work/munge/key"
chmod 400 "$work/munge/key"
munged --foreground --force --key-file="$work/munge/key" --socket="$work/munge/socket" --pid-file="$work/munge/pid" \
  --log-file="$work/munge.log" --seed-file="$work/munge/seed" >"$work/munged.log" 2>&1 &
pids+=($!)
host=$(hostname -s)
cat >"$work/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CredType=cred/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
ReturnToService=2
KillWait=5
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE OverSubscribe=FORCE State=UP
CONF
export SLURM_CONF=$work/slurm.conf
for _ in $(seq 50); do [ -S "$work/munge/socket" ] && break; sleep 0.1; done
slurmctld -D >"$work/slurmctld.out.log" 2>&1 &
pids+=($!)
slurmd -D -N "$host" >"$work/slurmd.out.log" 2>&1 &
pids+=($!)
up=no
for _ in $(seq 150); do
  if grep -q 'State=IDLE' <<<"$(scontrol show node "$host" 2>/dev/null)"; then up=yes; break; fi
  sleep 0.2
done
[ "$up" = yes ] || skip "Slurm does not come up in this sandbox: $(tail -n 3 "$work/slurmd.log" "$work/slurmctld.log" 2>&1 | tr '\n' ' ')"
cd "$work/shared"

# ranks PROFILE: rank, local rank, how many there are, calls.
ranks() {
  sqlite3 "$1" "SELECT p.rank, p.local_rank, p.world_size, (SELECT count(*) FROM calls c WHERE c.process = p.id)
                FROM processes p WHERE p.rank >= 0 ORDER BY p.rank"
}
both=$'0|0|2|3\n1|1|2|3'

echo "eval \"\$(rnnadvisor env)\" and srun"
(
  eval "$("$rnnadvisor" env --shell bash --mode calls --folder "$work/shared/recording" --quiet)"
  srun -n 2 "$probe" forward 3
  eval "$("$rnnadvisor" env --shell bash --unset --quiet)"
  [ -z "${RNNADVISOR_SPOOL:-}${LD_PRELOAD:-}" ] || fail "env --unset left something behind"
)
"$rnnadvisor" collect "$work/shared/recording" -o job.rnnprof --quiet
[ "$(ranks job.rnnprof)" = "$both" ] || fail "env and srun: $(ranks job.rnnprof)"
[ "$(sqlite3 job.rnnprof "SELECT DISTINCT host FROM processes WHERE rank >= 0")" = "$(hostname)" ] || fail "another host"

echo "the same inside a job of sbatch"
cat >batch.sh <<BATCH
#!/bin/bash
eval "\$("$rnnadvisor" env --shell bash --mode calls --folder "$work/shared/batch-recording" --quiet)"
srun -n 2 "$probe" forward 3
eval "\$("$rnnadvisor" env --shell bash --unset --quiet)"
"$rnnadvisor" collect "$work/shared/batch-recording" -o "$work/shared/batch.rnnprof" --quiet
BATCH
sbatch --wait -n 2 -o "$work/batch.log" batch.sh >/dev/null || fail "the job of sbatch failed"
[ "$(ranks batch.rnnprof)" = "$both" ] || fail "sbatch: $(ranks batch.rnnprof)"

echo "srun rnnadvisor profile, one profile for each rank"
srun -n 2 "$rnnadvisor" profile --mode calls -o 'rank-%q{SLURM_PROCID}.rnnprof' --quiet "$probe" forward 3
"$rnnadvisor" merge rank-0.rnnprof rank-1.rnnprof -o merged.rnnprof --quiet
[ "$(ranks merged.rnnprof)" = "$both" ] || fail "profile and merge: $(ranks merged.rnnprof)"

# What a program records until then, and how long its profile takes, depends on the machine: --max-size bounds both.
echo "scancel: SIGTERM, and the profile is written within KillWait"
sbatch -n 1 -o "$work/cancelled.log" --wrap "srun -n 1 $rnnadvisor profile --mode calls --max-size 20M -o $work/shared/cancelled.rnnprof --quiet $probe hammer" >job.txt
job=$(grep -o '[0-9]*$' job.txt)
for _ in $(seq 100); do ls -d cancelled.rnnprof.spool-*/*.rnnspool >/dev/null 2>&1 && break; sleep 0.1; done
sleep 0.5
scancel "$job"
for _ in $(seq 100); do [ -s cancelled.rnnprof ] && [ -z "$(squeue -h -j "$job" 2>/dev/null)" ] && break; sleep 0.2; done
[ -s cancelled.rnnprof ] || fail "no profile after scancel"
[ "$(sqlite3 cancelled.rnnprof "SELECT count(*) > 0 FROM calls")" = 1 ] || fail "the profile after scancel has no calls"
echo "Slurm: ranks arrive from srun, sbatch and scancel"
