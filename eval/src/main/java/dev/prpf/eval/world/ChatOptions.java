package dev.prpf.eval.world;

import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.Language;
import dev.prpf.data.world.scenario.ScenarioWorld;
import dev.prpf.par.agent.ChatPlayer;
import dev.prpf.par.agent.EpisodePolicy;
import dev.prpf.par.agent.ProactiveAgent;
import dev.prpf.par.agent.SimulatedUser;
import dev.prpf.par.cascade.RemoteReasoner;
import dev.prpf.par.openai.AnswerJournal;
import dev.prpf.par.openai.ChatClient;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of language models that play in a world; a mixin. */
final class ChatOptions {
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
    private @Nullable Path user;

    @Option(
            names = "--language",
            paramLabel = "LANGUAGE",
            defaultValue = "en",
            converter = Language.Option.class,
            description = "Language of the models' prompts: en or zh (${DEFAULT-VALUE}).")
    private Language language;

    /**
     * The opened models, which are closed together.
     *
     * @param observe null without an assistant of models
     * @param user null without a user of a model
     */
    record Opened(
            AnswerJournal journal,
            @Nullable ChatPlayer observe,
            @Nullable ChatPlayer execute,
            @Nullable ChatPlayer user)
            implements AutoCloseable {
        ProactiveAgent.@Nullable Source agent() {
            return observe == null || execute == null ? null : new Assistant(observe, execute);
        }

        /** Returns the opened user model, else the given user. */
        SimulatedUser.Source userOr(SimulatedUser.Source other) {
            return user == null ? other : new Person(user);
        }

        @Override
        public void close() {
            for (ChatPlayer player : new ChatPlayer[] {observe, execute, user}) {
                if (player != null) {
                    player.model().close();
                }
            }
            journal.close();
        }
    }

    private record Assistant(ChatPlayer observe, ChatPlayer execute) implements ProactiveAgent.Source {
        @Override
        public String id() {
            return observe.model().model() + "|" + execute.model().model();
        }

        @Override
        public String settings() {
            return ChatOptions.settings(observe) + "|" + ChatOptions.settings(execute);
        }

        @Override
        public ProactiveAgent start(ScenarioWorld world, long seed, EpisodePolicy policy) {
            return ChatPlayer.agent(observe, execute, world, episode(world, seed));
        }
    }

    private record Person(ChatPlayer player) implements SimulatedUser.Source {
        @Override
        public String id() {
            return player.model().model();
        }

        @Override
        public String settings() {
            return ChatOptions.settings(player);
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

    /**
     * Opens the models of all named roles.
     *
     * @param out the file of episodes; the answers are kept next to it
     */
    Opened open(Path out, StopSignal stop) {
        if (execute != null && observe == null) {
            throw new UsageException("--execute-model needs --observe-model");
        }
        AnswerJournal journal = new AnswerJournal(out.resolveSibling(out.getFileName() + ".answers.jsonl"));
        ChatPlayer observes = player(observe, journal, stop);
        ChatPlayer executes = execute == null ? observes : player(execute, journal, stop);
        return new Opened(journal, observes, executes, player(user, journal, stop));
    }

    private @Nullable ChatPlayer player(@Nullable Path file, AnswerJournal journal, StopSignal stop) {
        if (file == null) {
            return null;
        }
        RemoteReasoner.Config config = StrictYaml.read(file, RemoteReasoner.Config.class, List.of());
        ChatClient client =
                new ChatClient(config.server(), config.reasoner().model(), System.getenv(), stop::requested);
        return new ChatPlayer(client, journal, config.reasoner().sampling(), language);
    }
}
