package dev.prpf.eval.world;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.Closing;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.data.io.ScenarioCatalogReader;
import dev.prpf.mpp.training.MppRun;
import dev.prpf.par.agent.Agents;
import dev.prpf.par.agent.CascadeAgent;
import dev.prpf.par.agent.EpisodePolicy;
import dev.prpf.par.agent.ProactiveAgent;
import dev.prpf.par.cascade.Cascade;
import dev.prpf.par.cascade.CascadeFolder;
import dev.prpf.par.cascade.LoadedCascade;
import dev.prpf.par.cascade.Reasoner;
import dev.prpf.par.serve.policy.UserPolicy;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of the assistant in a world; a mixin. */
final class AgentOptions {
    private static final int SHORTLIST = 5;

    /** Replaces the reasoner if a gate decides and the expected run has the content of offers. */
    private static final Reasoner NO_REASONER =
            Reasoner.refusing("none", () -> new IllegalStateException("a gate without a reasoner must not reason"));

    @Option(
            names = "--agent",
            defaultValue = "expected",
            description = "The assistant: ${COMPLETION-CANDIDATES} (${DEFAULT-VALUE}).")
    private Agents agent;

    @Option(
            names = "--probability",
            paramLabel = "P",
            description = "Probability of an offer with --agent random (0.2).")
    private @Nullable Double probability;

    @Option(names = "--cascade", paramLabel = "DIR", description = "The cascade of --agent cascade.")
    private @Nullable Path cascade;

    @Option(
            names = "--gate",
            paramLabel = "RUN",
            description = "The gate of --agent gate; its offers have the content of the expected run.")
    private @Nullable Path gate;

    @Option(
            names = "--threshold",
            paramLabel = "TAU",
            description = "Lowest probability that opens the gate (default: that of the cascade or gate).")
    private @Nullable Double threshold;

    @Option(names = "--store", paramLabel = "DIR", description = "Folder of encodings (default: in memory).")
    private @Nullable Path store;

    @Option(
            names = "--policy",
            paramLabel = "FILE",
            description = "Withhold offers by this user policy (configs/policy.yaml), by virtual time.")
    private @Nullable Path policy;

    /** An assistant and its models, which are closed with it. */
    record Opened(ProactiveAgent.Source source, @Nullable LoadedCascade models) implements AutoCloseable {
        @Override
        public void close() {
            if (models != null) {
                models.close();
            }
        }
    }

    /**
     * Loads the assistant with its models.
     *
     * @param chat the assistant of language models, or null
     */
    Opened open(ProactiveAgent.@Nullable Source chat) {
        boolean random = agent == Agents.RANDOM;
        if ((probability != null && !random)
                || (cascade != null && agent != Agents.CASCADE)
                || (gate != null && agent != Agents.GATE)) {
            throw new UsageException("--probability needs --agent random, --cascade needs --agent cascade, and --gate"
                    + " needs --agent gate; the agent is " + agent.id());
        }
        if ((threshold != null || store != null) && cascade == null && gate == null) {
            throw new UsageException("--threshold and --store need --cascade or --gate");
        }
        if ((chat != null) != (agent == Agents.CHAT)) {
            throw new UsageException("--agent chat and --observe-model FILE need each other");
        }
        LoadedCascade models = cascade != null ? cascade(cascade) : gate != null ? gate(gate) : null;
        return Closing.ifRefused(
                new Opened(
                        models != null
                                ? new CascadeAgent.Source(models.cascade(), gate != null, files())
                                : probability != null ? new Agents.Chance(probability) : chat != null ? chat : agent,
                        models),
                opened -> policy == null
                        ? opened
                        : new Opened(
                                new EpisodePolicy.Source(
                                        opened.source(), StrictYaml.read(policy, UserPolicy.class, List.of())),
                                models));
    }

    /** Returns a checksum of the model files. */
    private String files() {
        return cascade == null
                ? MppRun.trained(Objects.requireNonNull(gate)).sha256()
                : AtomicFiles.sha256(
                        JsonRecords.write(CascadeFolder.open(cascade).manifest())
                                .getBytes(UTF_8));
    }

    private LoadedCascade cascade(Path path) {
        CascadeFolder folder = CascadeFolder.open(path);
        LoadedCascade loaded = LoadedCascade.open(folder, LoadedCascade.reasonerOf(folder), store, null);
        if (threshold == null) {
            return loaded;
        }
        return new LoadedCascade(
                loaded.cascade().withThreshold(threshold),
                loaded.encoders(),
                loaded.reasonerBytes(),
                loaded.card(),
                loaded.reasonerOnCard());
    }

    private LoadedCascade gate(Path run) {
        double tau =
                threshold != null ? threshold : MppRun.trained(run).threshold().threshold();
        return LoadedCascade.open(
                new LoadedCascade.Places(run, null, (catalog, texts) -> NO_REASONER, store, null),
                FunctionPoolFile.shipped(),
                ScenarioCatalogReader.shipped(),
                new Cascade.Settings(true, true, SHORTLIST, tau));
    }
}
