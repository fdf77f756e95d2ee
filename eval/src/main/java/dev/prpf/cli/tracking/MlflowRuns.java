package dev.prpf.cli.tracking;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.cli.tracking.MlflowRun.MlflowState;
import dev.prpf.cli.tracking.Tracking.RunTracker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.apache.commons.codec.digest.DigestUtils;
import org.apache.commons.lang3.StringUtils;
import org.jspecify.annotations.Nullable;
import org.mlflow.api.proto.Service.CreateRun;
import org.mlflow.api.proto.Service.Experiment;
import org.mlflow.api.proto.Service.Run;
import org.mlflow.api.proto.Service.RunInfo;
import org.mlflow.api.proto.Service.RunTag;

/**
 * The runs of one experiment. A run in the folder of another run is nested below that run; outermost runs are nested below {@code
 * MLFLOW_RUN_ID}, if given.
 */
final class MlflowRuns implements RunTracker.Factory {
    /** MLflow's default experiment, which always exists. */
    private static final String DEFAULT_EXPERIMENT = "0";

    private static final String ACTIVE = "active";
    /** Longest tag value that every server accepts. */
    private static final int LONGEST = 5000;

    private final MlflowServer server;
    private @Nullable String experiment;

    MlflowRuns(MlflowEnvironment environment) {
        this.server = new MlflowServer(environment);
    }

    @Override
    public RunTracker open(Path directory) {
        RunFacts facts = RunFacts.read(directory, null);
        MlflowState state = MlflowState.read(directory);
        RunInfo info = state == null ? create(facts) : found(state, MlflowState.file(directory));
        if (state == null) {
            state = new MlflowState(server.environment().uri(), info.getExperimentId(), info.getRunId(), 0, 0)
                    .write(directory);
        }
        MlflowRun run = new MlflowRun(server, directory, state, info.getArtifactUri());
        run.describe(facts, tags(facts));
        return run;
    }

    private RunInfo create(RunFacts facts) {
        String id = experiment();
        CreateRun.Builder request = CreateRun.newBuilder()
                .setExperimentId(id)
                .setUserId(System.getProperty("user.name", ""))
                .setRunName(name(facts.directory()))
                .setStartTime(facts.started().toEpochMilli());
        String parent = parent(facts.directory());
        if (parent != null) {
            request.addTags(tag("mlflow.parentRunId", parent));
        }
        return server.ask("create a run in experiment " + id, client -> client.createRun(request.build()));
    }

    private static String name(Path directory) {
        return String.valueOf(directory.toAbsolutePath().normalize().getFileName());
    }

    private RunInfo found(MlflowState state, Path file) {
        String uri = server.environment().uri();
        String afresh = ", or remove " + file + " to send the run again as a new one";
        try {
            Run run = server.ask("show run " + state.runId(), client -> client.getRun(state.runId()));
            if (run.getInfo().getLifecycleStage().equals(ACTIVE)) {
                return run.getInfo();
            }
        } catch (PrpfException e) {
            if (MlflowServer.isMissing(e)) {
                throw new InvalidDataException(
                        uri + " has no run " + state.runId() + "; give the server that has it, " + state.uri() + afresh,
                        e);
            }
            throw e;
        }
        throw new InvalidDataException(uri + ": run " + state.runId() + " is deleted there; restore it with"
                + " mlflow runs restore --run-id " + state.runId() + afresh);
    }

    /** Returns the experiment's id; creates the experiment if it is missing. */
    private String experiment() {
        if (experiment == null) {
            MlflowEnvironment given = server.environment();
            String name = given.experimentName();
            String id = Objects.requireNonNullElse(given.experimentId(), DEFAULT_EXPERIMENT);
            experiment = given.experimentId() == null && name != null
                    ? named(name)
                    : active(server.ask("show experiment " + id, client -> client.getExperiment(id)));
        }
        return experiment;
    }

    private String named(String name) {
        Optional<Experiment> found = byName(name);
        if (found.isPresent()) {
            return active(found.get());
        }
        try {
            return server.ask("create experiment " + name, client -> client.createExperiment(name));
        } catch (InvalidDataException e) { // another process was faster
            return byName(name).map(this::active).orElseThrow(() -> e);
        }
    }

    private Optional<Experiment> byName(String name) {
        return server.ask("show experiment " + name, client -> client.getExperimentByName(name));
    }

    private String active(Experiment found) {
        if (!found.getLifecycleStage().equals(ACTIVE)) {
            throw new InvalidConfigurationException(server.environment().uri() + ": experiment \"" + found.getName()
                    + "\" is deleted there; restore it with mlflow experiments restore --experiment-id "
                    + found.getExperimentId() + ", or give another MLFLOW_EXPERIMENT_NAME");
        }
        return found.getExperimentId();
    }

    private @Nullable String parent(Path directory) {
        Path above = directory.toAbsolutePath().normalize().getParent();
        while (above != null && !Files.isRegularFile(above.resolve(RunDirectory.RUN))) {
            above = above.getParent();
        }
        MlflowState outer = above == null ? null : MlflowState.read(above);
        if (outer != null) {
            return outer.runId();
        }
        String given = server.environment().parentRun();
        if (given != null) {
            server.ask("show run " + given + " (MLFLOW_RUN_ID)", client -> client.getRun(given));
        }
        return given;
    }

    /** Returns the tags that MLflow's pages show, then those of provenance. */
    private static List<RunTag> tags(RunFacts facts) {
        List<RunTag> tags = new ArrayList<>();
        tags.add(tag("mlflow.runName", name(facts.directory())));
        tags.add(tag("mlflow.user", System.getProperty("user.name", "")));
        tags.add(tag("mlflow.source.type", "LOCAL"));
        // MLflow's pages show only what follows a source's last slash, so the command line has its own tag.
        tags.add(tag("mlflow.source.name", "prpf " + facts.command()));
        facts.provenance().forEach((key, value) -> tags.add(tag(MlflowNames.of("prpf." + key), value)));
        String revision = facts.json().path("versions").path("revision").asText();
        if (!revision.isEmpty()) {
            tags.add(tag("mlflow.source.git.commit", revision));
        }
        return tags;
    }

    private static RunTag tag(String key, String value) {
        return RunTag.newBuilder()
                .setKey(key)
                .setValue(StringUtils.abbreviate(value, LONGEST))
                .build();
    }

    @Override
    public void close() {
        server.close();
    }

    /**
     * Makes names that MLflow accepts for metrics, parameters and tags. They have letters, digits, {@code _ - . / } and spaces, at most 250
     * characters, no empty or dotted parts of a path. Most names pass unchanged. In others each refused character becomes {@code _}, and a part of
     * the name's hash is appended to keep them distinct.
     */
    static final class MlflowNames {
        private static final int LONGEST = 250;
        private static final int HASH = 8;
        private static final Pattern REFUSED = Pattern.compile("[^\\w./ -]", Pattern.UNICODE_CHARACTER_CLASS);
        /** Parts that a path would lose. */
        private static final Pattern PATH = Pattern.compile("(^|/)(\\.{0,2})(?=/|$)");

        private MlflowNames() {}

        static String of(String name) {
            if (!REFUSED.matcher(name).find() && !PATH.matcher(name).find() && name.length() <= LONGEST) {
                return name;
            }
            String taken = PATH.matcher(REFUSED.matcher(name).replaceAll("_")).replaceAll("$1_");
            int length = Math.min(taken.length(), LONGEST - HASH - 1);
            return taken.substring(0, length) + "-"
                    + DigestUtils.sha256Hex(name).substring(0, HASH);
        }
    }
}
