# prpf in a container: built from the working tree, run as a user without rights, on a root that is not written to.
#   docker build -t prpf .
#   docker run --stop-timeout 120 --read-only --tmpfs /tmp:exec,size=2g --cap-drop ALL --security-opt no-new-privileges --init \
#     -p 127.0.0.1:8080:8080 -v "$PWD/runs:/runs:ro" -v "$PWD/keys:/keys:ro" prpf \
#     par serve --host 0.0.0.0 --port 8080 --mpp /runs/mpp --par /runs/par/model --api-key-file /keys/keys
# --stop-timeout as TimeoutStopSec in packaging/prpf.service: Docker's own ten seconds are less than a drain. /tmp must allow to execute: libtorch, ND4J and ONNX Runtime unpack their libraries there (820 MB). Hash the keys before they are mounted
# read-only: start once without a container, or write `NAME sha256:HEX` (printf %s KEY | sha256sum). For other commands mount /runs writable
# for user 10001.
FROM debian:bookworm-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends openjdk-17-jdk-headless maven git && rm -rf /var/lib/apt/lists/*
ENV MAVEN_OPTS=-Dmaven.repo.local=/opt/maven
WORKDIR /opt/prpf
COPY . .
# The launcher builds into .prpf; of Maven's repository only what the class path names goes on.
RUN ./prpf --help > /dev/null \
 && mkdir -p /image/opt/prpf \
 && tr : '\n' < .prpf/cpu-*/classpath | grep '^/opt/maven/' | xargs cp --parents -t /image \
 && cp -R --parents prpf pom.xml .mvn */pom.xml */src/main configs integrations LICENSE NOTICE .prpf /image/opt/prpf

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends openjdk-17-jre-headless && rm -rf /var/lib/apt/lists/* \
 && useradd --system --uid 10001 --home-dir /tmp --shell /usr/sbin/nologin prpf && mkdir /runs && chown prpf /runs
COPY --from=build /image /
ENV DJL_CACHE_DIR=/tmp/djl PRPF_JAVA_OPTIONS="-Dorg.bytedeco.javacpp.cachedir=/tmp/javacpp -XX:+ExitOnOutOfMemoryError"
USER 10001
WORKDIR /runs
VOLUME /runs
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=3s --start-period=60s \
  CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/8080 && printf 'GET /health HTTP/1.0\\r\\n\\r\\n' >&3 && grep -q '\"ok\"' <&3"]
ENTRYPOINT ["/opt/prpf/prpf"]
CMD ["--help"]
