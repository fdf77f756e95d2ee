package dev.prpf.par.command;

import dev.prpf.base.command.ConfigOptions;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.Sample;
import dev.prpf.data.command.CatalogOptions;
import dev.prpf.data.io.SampleReader;
import dev.prpf.par.cascade.CascadeFolder;
import dev.prpf.par.cascade.RemoteReasoner;
import dev.prpf.par.command.LocalDecodingOptions.UsualPrecision;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.response.ResponseForm.ReasoningMode;
import dev.prpf.par.reward.ResponseScorer;
import dev.prpf.par.reward.RewardSettings;
import dev.prpf.par.serve.ServeConfig;
import dev.prpf.par.serve.ServedParts;
import dev.prpf.par.serve.http.ApiKeys;
import dev.prpf.par.serve.http.ApiServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Serves the components that the command line names over HTTP; a subclass names the default ones. */
@Command(defaultValueProvider = UsualPrecision.class)
public abstract class ServeCommand implements Runnable {
    private static final long STEP_MILLIS = 50;

    /** Number of records that are read as examples. */
    private static final int MAX_EXAMPLES = 200;

    /** Overrides of keys of a {@code --remote} file; all others are of the configuration. */
    private static final Pattern REMOTE_KEY = Pattern.compile("(server|reasoner|price)[.=].*", Pattern.DOTALL);

    @Mixin
    private ConfigOptions common;

    @Option(names = "--gate", paramLabel = "RUN", description = "The perceiver's run.")
    private @Nullable Path gate;

    @Option(names = "--reasoner", paramLabel = "DIR", description = "The reasoner's model directory.")
    private @Nullable Path reasoner;

    @Option(
            names = "--remote",
            paramLabel = "FILE",
            description = "A reasoner on a server instead; see configs/remote.yaml. --set overrides its keys, too.")
    private @Nullable Path remote;

    @Option(
            names = "--gold",
            paramLabel = "FILE",
            description = "Labelled samples that responses are rewarded against.")
    private @Nullable Path gold;

    private @Nullable Path examples;

    @Mixin
    private CatalogOptions pool;

    @Option(
            names = "--reward",
            paramLabel = "FILE",
            description = "The reward's constants, see configs/reasoner-reward.yaml (default: the paper's).")
    private @Nullable Path rewardConfig;

    @Option(
            names = "--reasoning",
            paramLabel = "MODE",
            converter = ReasoningOption.class,
            description = "The form that rewarded responses must have, as prompt.reasoning (default: any form).")
    private @Nullable ReasoningMode reasoning;

    @Option(names = "--threshold", paramLabel = "TAU", description = "Trigger iff p >= TAU (default: of gate sweep).")
    private @Nullable Double threshold;

    @Option(names = "--dtype", description = "fp32, bf16 or int8 (default: fp32; bf16 on a GPU).")
    private Precision dtype;

    @Option(
            names = "--served-model-name",
            paramLabel = "NAME",
            description = "What clients call the reasoner (repeatable; default: its run's or folder's name).")
    private List<String> names = List.of();

    @Option(
            names = "--host",
            defaultValue = "127.0.0.1",
            description = "Where to listen; beyond this machine keys are needed (default: ${DEFAULT-VALUE}).")
    private String host;

    @Option(
            names = "--port",
            defaultValue = "8080",
            description = "0 for any that is free (default: ${DEFAULT-VALUE}).")
    private int port;

    @Option(
            names = "--api-key-file",
            paramLabel = "FILE",
            description =
                    "Callers and their keys, a line each: NAME KEY; keys are replaced by their hashes. A line that"
                            + " ends with the word monitor names a key that reads the metrics of all keys.")
    private @Nullable Path keys;

    @Option(
            names = "--policy",
            paramLabel = "FILE",
            description =
                    "What users allow, a file, or a folder with one a user; its state in policy.folder (docs/POLICY.md).")
    private @Nullable Path policies;

    @Override
    public void run() {
        RemoteReasoner.Config server = remote();
        CascadeFolder cascade = cascade();
        ServeConfig config =
                config(common, cascade == null ? null : cascade.manifest().answering());
        ApiServer.Place place = new ApiServer.Place(host, port, keys());
        if (!common.dryRun) {
            ApiServer.requireFree(place);
        }
        try (StopSignal stop = StopSignal.installForServer()) {
            ServedParts.Places places = places(server);
            try (ServedParts parts = ServedParts.open(places, config, place.keys())) {
                if (common.dryRun) {
                    reportDry(place, server, parts.embeddings());
                } else {
                    boolean keyed = place.keys().required();
                    serve(parts, new ServeReport(places, config, gold, keyed, parts.triggering()), place, stop);
                }
            }
        }
    }

    private ApiKeys keys() {
        if (keys == null) {
            return ApiKeys.NONE;
        }
        return common.dryRun ? ApiKeys.check(keys) : ApiKeys.read(keys);
    }

    /**
     * The result that {@code --dry-run --json} prints; null for components that are not served.
     *
     * @param embeddings name of the text encoder, which is always served
     */
    private record Plan(
            boolean dryRun,
            @Nullable String perceiver,
            @Nullable String reasoner,
            @Nullable String gold,
            @Nullable String policy,
            String embeddings,
            String host,
            int port,
            boolean keys) {}

    private void reportDry(ApiServer.Place place, RemoteReasoner.@Nullable Config server, String embeddings) {
        String answering = server == null ? text(reasoner) : server.place();
        Plan plan = new Plan(
                true,
                text(gate),
                answering,
                text(gold),
                text(policies),
                embeddings,
                host,
                port,
                place.keys().required());
        common.print(
                plan,
                () -> "would serve perceiver " + ServeReport.shown(gate) + ", reasoner " + ServeReport.shown(answering)
                        + ", rewards against "
                        + ServeReport.shown(gold) + ", policy " + ServeReport.shown(policies) + ", embeddings of "
                        + embeddings + " on " + host
                        + ":" + port + (plan.keys() ? " with keys" : " without keys"));
    }

    private static @Nullable String text(@Nullable Path path) {
        return path == null ? null : path.toString();
    }

    /** Returns the settings of a reasoner on a server; null for one in this process. */
    private RemoteReasoner.@Nullable Config remote() {
        if (remote == null) {
            return null;
        }
        if (reasoner != null) {
            throw new UsageException("--reasoner " + reasoner + " and --remote " + remote
                    + ": the reasoner is in this process or on a server; leave one out");
        }
        Map<Boolean, List<String>> overrides = common.overrides.stream()
                .collect(Collectors.partitioningBy(
                        override -> REMOTE_KEY.matcher(override).matches()));
        common.overrides = overrides.getOrDefault(false, List.of());
        return StrictYaml.read(remote, RemoteReasoner.Config.class, overrides.getOrDefault(true, List.of()));
    }

    /** Returns the configuration: a file or the defaults, then the cascade's own settings of responses, then {@code --set}. */
    static ServeConfig config(ConfigOptions common, CascadeFolder.@Nullable Answering answering) {
        ServeConfig config = common.config == null
                ? ServeConfig.DEFAULT
                : StrictYaml.read(common.config, ServeConfig.class, common.overrides);
        String name = common.config == null ? "the default limits" : common.config.toString();
        String text = StrictYaml.write(answering == null ? config : config.with(answering));
        return StrictYaml.readText(name, text, ServeConfig.class, common.overrides);
    }

    /** Returns the cascade to serve, after taking its parts; null if the command line names parts. */
    private @Nullable CascadeFolder cascade() {
        Path folder = named();
        boolean parts = gate != null || reasoner != null;
        if (folder != null && parts) {
            throw new UsageException(folder + ": a cascade has a gate and a reasoner; leave --gate and --reasoner out");
        }
        examples = gold;
        if (parts || (folder == null && gold != null)) {
            return null;
        }
        Path place = folder == null ? newest() : folder;
        CascadeFolder cascade = CascadeFolder.open(place, remote == null);
        gate = cascade.gate();
        reasoner = remote == null ? cascade.reasoner() : null;
        examples = gold == null ? examples(cascade.path()) : gold;
        gold = gold == null ? gold(cascade.path()) : gold;
        return cascade;
    }

    /** Returns the folder of the cascade that the command line names; null without one. */
    protected abstract @Nullable Path named();

    /**
     * Returns the folder of the newest cascade.
     *
     * @throws UsageException if no cascade exists
     */
    protected abstract Path newest();

    /** Returns labelled samples to reward against; null without any. */
    protected abstract @Nullable Path gold(Path cascade);

    /** Returns labelled records to show, test records first; null without any. */
    protected abstract @Nullable Path examples(Path cascade);

    private ServedParts.Places places(RemoteReasoner.@Nullable Config server) {
        pool.ofGate(gate);
        requireNames();
        return new ServedParts.Places(
                gate,
                reasoner,
                server,
                scorer(),
                pool.functions(),
                pool.catalog(),
                threshold,
                dtype,
                policies,
                names,
                examples());
    }

    private List<Sample> examples() {
        if (examples == null) {
            return List.of();
        }
        List<Sample> shown = new ArrayList<>();
        try (SampleReader samples = SampleReader.open(examples)) {
            for (int i = 0; i < MAX_EXAMPLES && samples.hasNext(); i++) {
                Sample sample = samples.next();
                if (sample.modality() == Sample.Modality.TEXT && sample.labelled()) {
                    shown.add(sample);
                }
            }
        }
        return shown;
    }

    private void requireNames() {
        for (int i = 0; i < names.size(); i++) {
            if (names.get(i).isBlank() || names.indexOf(names.get(i)) < i) {
                throw new UsageException("--served-model-name \"" + names.get(i) + "\" "
                        + (names.get(i).isBlank() ? "is blank; give a name" : "is given twice; give each name once"));
            }
        }
    }

    private @Nullable ResponseScorer scorer() {
        if (gold == null) {
            if (rewardConfig != null || reasoning != null) {
                throw new UsageException((rewardConfig != null ? "--reward" : "--reasoning")
                        + " is for rewards; name labelled samples with --gold");
            }
            return null;
        }
        return ResponseScorer.open(gold, pool.functions(), pool.place(), RewardSettings.read(rewardConfig), reasoning);
    }

    private void serve(ServedParts parts, ServeReport report, ApiServer.Place place, StopSignal stop) {
        ApiServer server =
                ApiServer.start(place, report.config().http(), parts.metrics(), parts.routes(), parts::works);
        try {
            common.printLines(Map.of("listening", server.address()), () -> report.lines(server.address()));
            await(stop);
            server.drain();
        } finally {
            server.close();
            if (server.busy()) {
                parts.leaveOpen();
            }
        }
    }

    private static void await(StopSignal stop) {
        while (!stop.requested()) {
            try {
                Thread.sleep(STEP_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
