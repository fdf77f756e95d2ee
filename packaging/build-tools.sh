#!/bin/sh
# In the Dockerfile, as root: what a build needs.
set -eu
apt-get update
apt-get install -y --no-install-recommends openjdk-17-jdk-headless maven git
rm -rf /var/lib/apt/lists/*
