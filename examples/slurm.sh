#!/bin/bash
# Trains on four hosts of a Slurm cluster. The current folder is on a file system that all of them share.
# With GPUs, ask for as many processes on a host as it has GPUs: JAX gives one to each.
#
#     sbatch slurm.sh
#
# If a host is lost, Slurm queues the job again, which goes on from the last checkpoint. When Slurm stops
# it, it saves one.
#SBATCH --job-name=reviews
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --requeue
set -e
export KERAS_BACKEND=jax
srun --kill-on-bad-exit=1 keras-attn train text-classifier --data reviews.tsv \
    --out runs/reviews --distribute data --save-every 500 --resume
