# prpf in a container: built from the working tree, run as a user without rights, on a root that is not written to. One image a build:
#   docker build --target cpu -t prpf:cpu .
#   docker build --target cuda -t prpf:cuda .     # 2.5 GB of libtorch and 0.7 GB of ONNX Runtime; docs/GPU.md
#   docker run --stop-timeout 120 --memory 6g --pids-limit 1024 --read-only --tmpfs /tmp:exec,size=2g --cap-drop ALL --security-opt no-new-privileges --init \
#     -p 127.0.0.1:8080:8080 -v "$PWD/runs:/runs:ro" -v "$PWD/keys:/keys:ro" prpf:cpu \
#     serve --host 0.0.0.0 --port 8080 --gate /runs/gate --reasoner /runs/reasoner/model --api-key-file /keys/keys
# With a card: --gpus all, and --tmpfs /tmp:exec,size=8g. --stop-timeout as TimeoutStopSec in packaging/prpf.service: Docker's own ten seconds
# are less than a drain. /tmp must allow to execute: libtorch, ND4J and ONNX Runtime unpack their libraries there. Hash the keys before they
# are mounted read-only: start once without a container, or write `NAME sha256:HEX` (printf %s KEY | sha256sum). For other commands mount
# /runs writable for user 10001. Name the base by digest for images that are the same each time:
# --build-arg BASE=debian:bookworm-slim@sha256:… (docker buildx imagetools inspect debian:bookworm-slim).
ARG BASE=debian:bookworm-slim
FROM ${BASE} AS sources
COPY packaging /opt/prpf/packaging
RUN /opt/prpf/packaging/build-tools.sh
COPY . /opt/prpf

FROM sources AS build-cpu
RUN /opt/prpf/packaging/build.sh cpu /image

FROM sources AS build-cuda
RUN /opt/prpf/packaging/build.sh cuda /image

FROM ${BASE} AS runtime
COPY packaging /opt/prpf/packaging
RUN /opt/prpf/packaging/runtime.sh
ENV DJL_CACHE_DIR=/tmp/djl PRPF_JAVA_OPTIONS="-Dorg.bytedeco.javacpp.cachedir=/tmp/javacpp -XX:+ExitOnOutOfMemoryError"
USER 10001
WORKDIR /runs
VOLUME /runs
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=3s --start-period=60s CMD ["/opt/prpf/packaging/healthy.sh"]
ENTRYPOINT ["/opt/prpf/prpf"]
CMD ["--help"]

FROM runtime AS cuda
ENV PRPF_PROFILE=cuda LD_LIBRARY_PATH=/opt/prpf/cuda NVIDIA_VISIBLE_DEVICES=all NVIDIA_DRIVER_CAPABILITIES=compute,utility
COPY --from=build-cuda /image /

FROM runtime AS cpu
ENV PRPF_PROFILE=cpu
COPY --from=build-cpu /image /
