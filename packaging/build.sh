#!/bin/sh
# packaging/build.sh cpu|cuda FOLDER: in the Dockerfile, builds a profile and puts into FOLDER what an image of it holds, under the paths that the
# image has. Maven's repository lies in /opt/maven; only the jars of the class path are copied.
set -eu
profile=$1
image=$2
cd "$(dirname "$0")/.."
export MAVEN_OPTS="${MAVEN_OPTS:-} -Dmaven.repo.local=/opt/maven"
PRPF_PROFILE=$profile ./prpf --help > /dev/null
mkdir -p "$image$PWD"
cat .prpf/"$profile"-*/classpath | tr : '\n' | grep '^/opt/maven/' | xargs cp --parents -t "$image"
cp -R --parents prpf pom.xml .mvn */pom.xml */src/main configs integrations packaging LICENSE NOTICE THIRD-PARTY.md .prpf "$image$PWD"
[ "$profile" = cuda ] || exit 0
# DJL looks for libcudart.so, without a version in its name, and libtorch's jar has it under a name of its own.
jar=$(find "$image/opt/maven" -name 'pytorch-native-cu*.jar')
cudart=$(jar tf "$jar" | grep '/libcudart-.*\.so')
mkdir "$image$PWD/cuda"
cd "$image$PWD/cuda"
jar xf "$jar" "$cudart"
mv "$cudart" libcudart.so
rm -r pytorch
