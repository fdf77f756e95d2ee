package dev.prpf.eval.world;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.Closing;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.Language;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.data.io.ScenarioCatalogReader;
import dev.prpf.data.world.scenario.ScenarioWorld;
import dev.prpf.mpp.training.MppRun;
import dev.prpf.par.agent.Agents;
import dev.prpf.par.agent.CascadeAgent;
import dev.prpf.par.agent.ChatPlayer;
import dev.prpf.par.agent.EpisodePolicy;
import dev.prpf.par.agent.ProactiveAgent;
import dev.prpf.par.agent.SimulatedUser;
import dev.prpf.par.agent.Users;
import dev.prpf.par.cascade.Cascade;
import dev.prpf.par.cascade.CascadeFolder;
import dev.prpf.par.cascade.LoadedCascade;
import dev.prpf.par.cascade.Reasoner;
import dev.prpf.par.cascade.RemoteReasoner;
import dev.prpf.par.openai.AnswerJournal;
import dev.prpf.par.openai.ChatClient;
import dev.prpf.par.serve.policy.UserPolicy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of the user and the assistant in a world, with their models; a mixin. */
final class PlayerOptions {
    private static final int SHORTLIST = 5;

    /** Replaces the reasoner if a gate decides and the expected run has the content of offers. */
    private static final Reasoner NO_REASONER =
            Reasoner.refusing("none", () -> new IllegalStateException("a gate without a reasoner must not reason"));

    @Option(
            names = "--user",
            defaultValue = "scripted",
            description = "The user: ${COMPLETION-CANDIDATES} (${DEFAULT-VALUE}).")
    private Users user;

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

    @Option(
            names = "--observe-model",
            paramLabel = "FILE",
            description = "Model that observes with --agent chat, on a server (configs/remote.yaml).")
    private @Nullable Path observe;

    @Option(
            names = "--execute-model",
            paramLabel = "FILE",
            description = "Model that executes with --agent chat (default: the model that observes).")
    private @Nullable Path execute;

    @Option(
            names = "--user-model",
            paramLabel = "FILE",
            description = "Model that plays the user with --user chat, on a server (configs/remote.yaml).")
    private @Nullable Path userModel;

    @Option(
            names = "--language",
            paramLabel = "LANGUAGE",
            defaultValue = "en",
            converter = Language.Option.class,
            description = "Language of the models' prompts: en or zh (${DEFAULT-VALUE}).")
    private Language language;

    private void check() {
        require(
                (probability == null || agent == Agents.RANDOM)
                        && (cascade == null || agent == Agents.CASCADE)
                        && (gate == null || agent == Agents.GATE),
                "--probability needs --agent random, --cascade needs --agent cascade, and --gate needs --agent gate;"
                        + " the agent is " + agent.id());
        require(
                (threshold == null && store == null) || cascade != null || gate != null,
                "--threshold and --store need --cascade or --gate");
        require(execute == null || observe != null, "--execute-model needs --observe-model");
        require((observe != null) == (agent == Agents.CHAT), "--agent chat and --observe-model FILE need each other");
        require((userModel != null) == (user == Users.CHAT), "--user chat and --user-model FILE need each other");
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new UsageException(message);
        }
    }

    /**
     * Loads the players with their models.
     *
     * @param out the file of episodes; the models' answers are kept next to it
     */
    Players open(Path out, StopSignal stop) {
        check();
        return Closing.ifRefused(new Players(out, stop), players -> {
            players.load();
            return players;
        });
    }

    /** The user, the assistant and their models, which are closed together. */
    final class Players implements AutoCloseable {
        private final StopSignal stop;
        private final AnswerJournal journal;
        private final List<Runnable> closing = new ArrayList<>();
        private SimulatedUser.Source person = user;
        private ProactiveAgent.Source assistant = agent;

        private Players(Path out, StopSignal stop) {
            this.stop = stop;
            this.journal = new AnswerJournal(out.resolveSibling(out.getFileName() + ".answers.jsonl"));
            closing.add(journal::close);
        }

        SimulatedUser.Source user() {
            return person;
        }

        ProactiveAgent.Source agent() {
            return assistant;
        }

        private void load() {
            if (observe != null) {
                ChatPlayer observes = player(observe);
                assistant = new ChatAssistant(observes, execute == null ? observes : player(execute));
            }
            if (userModel != null) {
                person = new ChatUser(player(userModel));
            }
            if (cascade != null || gate != null) {
                LoadedCascade models = cascade != null ? cascade(cascade) : gate(Objects.requireNonNull(gate));
                closing.add(models::close);
                assistant = new CascadeAgent.Source(models.cascade(), gate != null, files());
            }
            if (probability != null) {
                assistant = new Agents.Chance(probability);
            }
            if (policy != null) {
                assistant = new EpisodePolicy.Source(assistant, StrictYaml.read(policy, UserPolicy.class, List.of()));
            }
        }

        private ChatPlayer player(Path file) {
            RemoteReasoner.Config config = StrictYaml.read(file, RemoteReasoner.Config.class, List.of());
            ChatClient client =
                    new ChatClient(config.server(), config.reasoner().model(), System.getenv(), stop::requested);
            closing.add(client::close);
            return new ChatPlayer(client, journal, config.reasoner().sampling(), language);
        }

        @Override
        public void close() {
            Closing.all(closing);
        }
    }

    private record ChatAssistant(ChatPlayer observe, ChatPlayer execute) implements ProactiveAgent.Source {
        @Override
        public String id() {
            return observe.model().model() + "|" + execute.model().model();
        }

        @Override
        public String settings() {
            return PlayerOptions.settings(observe) + "|" + PlayerOptions.settings(execute);
        }

        @Override
        public ProactiveAgent start(ScenarioWorld world, long seed, EpisodePolicy own) {
            return ChatPlayer.agent(observe, execute, world, episode(world, seed));
        }
    }

    private record ChatUser(ChatPlayer player) implements SimulatedUser.Source {
        @Override
        public String id() {
            return player.model().model();
        }

        @Override
        public String settings() {
            return PlayerOptions.settings(player);
        }

        @Override
        public SimulatedUser start(ScenarioWorld world, long seed) {
            return player.user(world, episode(world, seed));
        }
    }

    private static String settings(ChatPlayer player) {
        return player.model().model() + " " + player.language() + " " + player.sampling();
    }

    private static String episode(ScenarioWorld world, long seed) {
        return world.scenario().scenario() + "-" + seed;
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
        return threshold == null
                ? loaded
                : new LoadedCascade(
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
