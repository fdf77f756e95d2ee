#!/usr/bin/env bash
# ./prpf launch --to slurm -- COMMAND …   submits this. Names in double braces are filled in; a line whose name has no value is left out.
#SBATCH --job-name={{name}}
#SBATCH --output={{log}}
#SBATCH --open-mode=append
#SBATCH --chdir={{work}}
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task={{cpus}}
#SBATCH --mem={{memory-gib}}G
#SBATCH --gpus-per-node={{gpus}}
#SBATCH --time={{time}}
#SBATCH --signal=B:USR1@{{grace}}
#SBATCH --requeue
#SBATCH --array={{array}}
#SBATCH --partition={{partition}}
#SBATCH --account={{account}}
#SBATCH --qos={{qos}}
{{options}}
{{environment}}
{{variables}}
seconds=      # Slurm itself sends SIGUSR1
term=shared   # and SIGTERM to every process of the job
member=${SLURM_ARRAY_TASK_ID:-0}
line=$(sed -n "$((member + 1))p" "$launch/members")

{{member-script}}

run_member
if goes_on; then
  note requeued
  scontrol requeue "$SLURM_JOB_ID" && exit "$status"
  note "ended $status"
fi
exit "$status"
