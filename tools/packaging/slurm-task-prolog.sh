#!/bin/sh
# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Slurm's TaskProlog: Slurm adds each line "export NAME=value" that this prints to the environment of the task. A job
# goes without commtap if it exports COMMTAP=0, and so does a node on which commtap is not installed. Set both folders.

folder=${COMMTAP_FOLDER:-/opt/commtap}
reports=/scratch/commtap/%j

library=$folder/lib/commtap/libcommtap.so
case ${COMMTAP:-} in 0 | off | false | no) exit 0 ;; esac
case ${LD_PRELOAD:-} in *libcommtap.so*) exit 0 ;; esac
[ -r "$library" ] || exit 0

echo "export LD_PRELOAD=${LD_PRELOAD:+$LD_PRELOAD:}$library"
[ -n "${COMMTAP_OUT:-}" ] || echo "export COMMTAP_OUT=$reports"
