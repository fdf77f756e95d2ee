#!/bin/sh
# Installs what a built prpf needs, and adds the user that it runs as. The Dockerfile runs it as root.
set -eu
apt-get update
apt-get install -y --no-install-recommends openjdk-17-jre-headless
rm -rf /var/lib/apt/lists/*
useradd --system --uid 10001 --home-dir /tmp --shell /usr/sbin/nologin prpf
mkdir -p /runs
chown prpf /runs
