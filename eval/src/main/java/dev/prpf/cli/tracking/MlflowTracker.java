package dev.prpf.cli.tracking;

import dev.prpf.base.run.RunOverview.State;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.commons.lang3.StringUtils;
import org.mlflow.api.proto.Service.Metric;
import org.mlflow.api.proto.Service.Param;
import org.mlflow.api.proto.Service.RunStatus;
import org.mlflow.api.proto.Service.RunTag;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A run on a server of MLflow. Requests keep to the server's limits: 1,000 metrics, 100 parameters and 100 tags in each. */
final class MlflowTracker implements RunTracker {
    private static final Logger LOG = LoggerFactory.getLogger(MlflowTracker.class);
    private static final int METRICS = 1000;
    private static final int PARAMETERS = 100;
    /** Longest value of a parameter that every server takes. */
    private static final int LONGEST = 500;

    private final MlflowServer server;
    private final TrackingState<MlflowState> kept;
    private final URI artifacts;
    private MlflowState state;

    MlflowTracker(MlflowServer server, TrackingState<MlflowState> kept, MlflowState state, String artifacts) {
        this.server = server;
        this.kept = kept;
        this.state = state;
        this.artifacts = URI.create(artifacts);
    }

    /** Says what the run is and that it runs; the same parameters may be said again. */
    void describe(RunFacts run, List<RunTag> tags) {
        List<Param> parameters = run.parameters().entrySet().stream()
                .map(entry -> Param.newBuilder()
                        .setKey(MlflowNames.of(entry.getKey()))
                        .setValue(StringUtils.abbreviate(entry.getValue(), LONGEST))
                        .build())
                .toList();
        partition(parameters, PARAMETERS)
                .forEach(part -> server.tell(
                        "keep parameters", client -> client.logBatch(state.runId(), List.of(), part, List.of())));
        logTags(tags);
        if (run.state() == State.RUNNING) {
            server.ask(
                    "mark a run as running",
                    client -> client.sendPost(
                            "runs/update", "{\"run_id\":\"" + state.runId() + "\",\"status\":\"RUNNING\"}"));
        }
    }

    private void logTags(List<RunTag> tags) {
        partition(tags, PARAMETERS)
                .forEach(part ->
                        server.tell("keep tags", client -> client.logBatch(state.runId(), List.of(), List.of(), part)));
    }

    private static <T> List<List<T>> partition(List<T> all, int size) {
        List<List<T>> parts = new ArrayList<>();
        for (int from = 0; from < all.size(); from += size) {
            parts.add(all.subList(from, Math.min(all.size(), from + size)));
        }
        return parts;
    }

    @Override
    public Sent sent() {
        return state.sent();
    }

    @Override
    public void send(List<MetricLine> lines) {
        MlflowState.Sending before = state.sending();
        List<MetricLine> again = lines.stream()
                .filter(line -> before != null && !before.upTo().isBefore(line.place()))
                .toList();
        if (before != null && !again.isEmpty()) {
            log(again, before.time());
        }
        List<MetricLine> rest = lines.subList(again.size(), lines.size());
        if (!rest.isEmpty()) {
            long now = System.currentTimeMillis();
            keep(state.sending(rest.get(rest.size() - 1).place(), now));
            log(rest, now);
        }
    }

    private void log(List<MetricLine> lines, long time) {
        log(lines.stream()
                .flatMap(line -> metrics(line.values(), line.place().step(), time))
                .toList());
        keep(state.answered(lines.get(lines.size() - 1).place()));
    }

    private static Stream<Metric> metrics(Map<String, Double> values, long step, long time) {
        return values.entrySet().stream().map(entry -> Metric.newBuilder()
                .setKey(MlflowNames.of(entry.getKey()))
                .setValue(entry.getValue())
                .setStep(step)
                .setTimestamp(time)
                .build());
    }

    private void log(List<Metric> metrics) {
        partition(metrics, METRICS)
                .forEach(part -> server.tell(
                        "keep metrics", client -> client.logBatch(state.runId(), part, List.of(), List.of())));
    }

    private void keep(MlflowState now) {
        kept.write(now);
        state = now;
    }

    /** Figures have the time of the run's end, so that the server drops those that it has. */
    @Override
    public void finish(RunFacts run) {
        long ended = run.ended().toEpochMilli();
        long step = Math.max(0, state.sent().step());
        log(metrics(run.figures(), step, ended).toList());
        keepDocuments(run);
        String failure = run.failure();
        if (failure != null) {
            server.tell("keep a tag", client -> client.setTag(state.runId(), "prpf.failure", failure));
        }
        if (run.over()) {
            server.tell("end a run", client -> client.setTerminated(state.runId(), status(run.state()), ended));
        }
    }

    private void keepDocuments(RunFacts run) {
        for (Path file : run.documents()) {
            String refused = server.upload(artifacts, file);
            if (refused != null) {
                LOG.warn("{} and what else documents the run is not kept with it: {}", file, refused);
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

    @Override
    public void close() {
        kept.close();
    }
}
