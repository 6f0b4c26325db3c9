#!/usr/bin/env bash
#SBATCH --job-name=arcbatt
#SBATCH --array=1-20
#SBATCH --cpus-per-task=8
#SBATCH --time=04:00:00
#SBATCH --requeue
#
# Runs a command of arcbatt in shards, as an array of jobs: each job has a part of the tasks and an archive of
# its own, so the machines share no database. A job that is requeued goes on where it was.
#
#   jobs=$(sbatch --parsable examples/slurm-shards.sh FOLDER run --pairs all)
#   sbatch --dependency=afterok:$jobs --wrap "arcbatt archive merge FOLDER/all.db FOLDER/shard-*.db"
#
# Other batch systems: set the two SLURM_ARRAY variables from theirs.
set -euo pipefail

folder=$1
shift
number=${SLURM_ARRAY_TASK_ID:?"run it as an array: sbatch --array=1-20 $0"}
count=${SLURM_ARRAY_TASK_COUNT:?"run it as an array that begins at 1: sbatch --array=1-20 $0"}

mkdir -p "$folder"
archive=$folder/shard-$number-of-$count.db
exec arcbatt "$@" --shard "$number/$count" --archive "$archive" --resume
