package dev.prpf.cli.tracking;

import dev.prpf.base.files.JsonFile;
import dev.prpf.base.run.RunOverview.State;
import dev.prpf.cli.tracking.MlflowRuns.MlflowNames;
import dev.prpf.cli.tracking.Tracking.RunTracker;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.apache.commons.lang3.StringUtils;
import org.jspecify.annotations.Nullable;
import org.mlflow.api.proto.Service.Metric;
import org.mlflow.api.proto.Service.Param;
import org.mlflow.api.proto.Service.RunStatus;
import org.mlflow.api.proto.Service.RunTag;
import org.mlflow.tracking.MlflowClient;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A run on an MLflow server. Requests keep to the server's limits: 1,000 metrics, 100 parameters and 100 tags in each. */
final class MlflowRun implements RunTracker {
    private static final Logger LOG = LoggerFactory.getLogger(MlflowRun.class);
    private static final int METRICS = 1000;
    private static final int PARAMETERS = 100;
    /** Longest parameter value that every server accepts. */
    private static final int LONGEST = 500;

    private final MlflowServer server;
    private final Path directory;
    private final URI artifacts;
    private MlflowState state;

    MlflowRun(MlflowServer server, Path directory, MlflowState state, String artifacts) {
        this.server = server;
        this.directory = directory;
        this.state = state;
        this.artifacts = URI.create(artifacts);
    }

    /** Sends parameters and tags, and marks a run that is running. */
    void describe(RunFacts run, List<RunTag> tags) {
        String id = state.runId();
        List<Param> parameters = run.parameters().entrySet().stream()
                .map(entry -> Param.newBuilder()
                        .setKey(MlflowNames.of(entry.getKey()))
                        .setValue(StringUtils.abbreviate(entry.getValue(), LONGEST))
                        .build())
                .toList();
        log("keep parameters", parameters, PARAMETERS, (to, part) -> to.logBatch(id, List.of(), part, List.of()));
        log("keep tags", tags, PARAMETERS, (to, part) -> to.logBatch(id, List.of(), List.of(), part));
        if (run.state() == State.RUNNING) {
            server.ask(
                    "mark a run as running",
                    client -> client.sendPost("runs/update", "{\"run_id\":\"" + id + "\",\"status\":\"RUNNING\"}"));
        }
    }

    private <T> void log(String what, List<T> all, int most, BiConsumer<MlflowClient, List<T>> request) {
        for (int from = 0; from < all.size(); from += most) {
            List<T> part = all.subList(from, Math.min(all.size(), from + most));
            server.tell(what, client -> request.accept(client, part));
        }
    }

    private void logMetrics(Stream<Metric> metrics) {
        log(
                "keep metrics",
                metrics.toList(),
                METRICS,
                (to, part) -> to.logBatch(state.runId(), part, List.of(), List.of()));
    }

    @Override
    public int sent() {
        return state.lines();
    }

    @Override
    public void send(List<MetricLine> lines) {
        long now = System.currentTimeMillis();
        logMetrics(lines.stream().flatMap(line -> metrics(line.values(), line.step(), now)));
        long step = lines.get(lines.size() - 1).step();
        state = new MlflowState(state.uri(), state.experimentId(), state.runId(), sent() + lines.size(), step)
                .write(directory);
    }

    private static Stream<Metric> metrics(Map<String, Double> values, long step, long time) {
        return values.entrySet().stream().map(entry -> Metric.newBuilder()
                .setKey(MlflowNames.of(entry.getKey()))
                .setValue(entry.getValue())
                .setStep(step)
                .setTimestamp(time)
                .build());
    }

    /** Sends figures with the time of the run's end, so that the server drops duplicates. */
    @Override
    public void finish(RunFacts run) {
        long ended = run.ended().toEpochMilli();
        logMetrics(metrics(run.figures(), state.step(), ended));
        keepDocuments(run);
        String failure = run.failure();
        if (failure != null) {
            server.tell("keep a tag", client -> client.setTag(state.runId(), "prpf.failure", failure));
        }
        if (run.state() != State.RUNNING) {
            server.tell("end a run", client -> client.setTerminated(state.runId(), status(run.state()), ended));
        }
    }

    private void keepDocuments(RunFacts run) {
        for (Path file : run.documents()) {
            String refused = server.upload(artifacts, file);
            if (refused != null) {
                LOG.warn("{} and the run's other documents are not kept with it: {}", file, refused);
                return;
            }
        }
    }

    private static RunStatus status(State state) {
        return switch (state) {
            case DONE -> RunStatus.FINISHED;
            case FAILED, BROKEN -> RunStatus.FAILED;
            case INTERRUPTED -> RunStatus.KILLED;
            case RUNNING -> RunStatus.RUNNING;
        };
    }

    @Override
    public String place() {
        return state.page();
    }

    /**
     * The MLflow run that a run's folder was sent to, kept as {@code tracking/mlflow.json}.
     *
     * @param lines number of lines of {@code metrics.jsonl} that the server acknowledged
     */
    record MlflowState(String uri, String experimentId, String runId, int lines, long step) {
        static Path file(Path run) {
            return run.resolve("tracking").resolve("mlflow.json");
        }

        /** Reads the state of a run; null if it was never sent. */
        static @Nullable MlflowState read(Path run) {
            Path file = file(run);
            return Files.isRegularFile(file) ? JsonFile.record(file, "state of tracking", MlflowState.class) : null;
        }

        MlflowState write(Path run) {
            JsonFile.write(file(run), this);
            return this;
        }

        /** Returns the address of the run's page. */
        String page() {
            return uri + "/#/experiments/" + experimentId + "/runs/" + runId;
        }
    }
}
