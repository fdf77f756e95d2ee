#!/bin/sh
# Installs what a build needs. The Dockerfile runs it as root.
set -eu
apt-get update
apt-get install -y --no-install-recommends openjdk-17-jdk-headless maven git
rm -rf /var/lib/apt/lists/*
