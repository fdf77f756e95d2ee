package dev.prpf.par.pipeline;

import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.par.cascade.RemoteReasoner;
import dev.prpf.par.openai.AnswerJournal;
import dev.prpf.par.openai.ChatClient;
import dev.prpf.par.pipeline.DataGenerateCommand.Budget;
import dev.prpf.par.pipeline.Pipeline.Model;
import java.net.URI;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The models of a pipeline by their file, in the form of {@code configs/remote.yaml}. */
final class OpenedModels {
    private static final Logger LOG = LoggerFactory.getLogger(OpenedModels.class);

    private final Map<Path, RemoteReasoner.Config> configs = new LinkedHashMap<>();
    private final Map<Path, Model> models = new LinkedHashMap<>();

    /** @throws dev.prpf.base.error.PrpfException 78 for an invalid file, or if two files name one model */
    OpenedModels(Collection<Path> files) {
        Map<String, Path> names = new LinkedHashMap<>();
        for (Path file : files) {
            RemoteReasoner.Config config = StrictYaml.read(file, RemoteReasoner.Config.class, List.of());
            Path other = names.putIfAbsent(config.reasoner().model(), file);
            if (other != null && !other.equals(file)) {
                throw new InvalidConfigurationException(file + " and " + other + " both name the model "
                        + config.reasoner().model() + "; use one file for both roles");
            }
            configs.put(file, config);
        }
    }

    /** Returns the models' names. */
    List<String> names() {
        return configs.values().stream()
                .map(config -> config.reasoner().model())
                .toList();
    }

    /** Returns the models and servers, for messages. */
    List<String> places() {
        return configs.values().stream().map(RemoteReasoner.Config::place).toList();
    }

    /** Logs before the run how many requests it may send, where to, and its budget. */
    void announce(int requests, Budget budget) {
        LOG.info(
                "up to {} requests without repetitions to {}; the budget is {} answers{}",
                requests,
                String.join(", ", places()),
                budget.answers(),
                budget.cost() == null ? "" : ", cost " + budget.cost());
    }

    /**
     * Checks that the user agrees before data leave this machine.
     *
     * @param what the data, for the message
     * @throws UsageException if a server is not on loopback and the user did not agree
     */
    void requireConsent(boolean agreed, String what) {
        List<String> others = configs.values().stream()
                .flatMap(config -> config.server().urls().stream())
                .filter(url -> !isLoopback(url))
                .distinct()
                .toList();
        if (!agreed && !others.isEmpty()) {
            throw new UsageException("this sends " + what + " to " + String.join(", ", others)
                    + "; give --yes, or consent: true in the configuration, if you agree");
        }
    }

    /** Reads the address as written: a name that resolves to loopback today may not do so tomorrow. */
    private static boolean isLoopback(String url) {
        String host = String.valueOf(URI.create(url).getHost());
        return host.equals("localhost") || host.equals("[::1]") || host.matches("127(\\.\\d{1,3}){3}");
    }

    /** Opens the models; their answers are kept in the folder. */
    Collection<Model> open(Path folder, BooleanSupplier stopped) {
        configs.forEach((file, config) -> {
            String name = config.reasoner().model();
            models.put(
                    file,
                    new Model(
                            new ChatClient(config.server(), name, System.getenv(), stopped),
                            new AnswerJournal(folder.resolve("answers-" + fileName(name) + ".jsonl")),
                            config.reasoner().sampling(),
                            config.reasoner().structuredOutput(),
                            config.price()));
        });
        return models.values();
    }

    private static String fileName(String model) {
        String plain = model.replaceAll("[^A-Za-z0-9.-]", "_");
        boolean ascii = model.chars().allMatch(c -> c < 128);
        return ascii ? plain : plain + "-" + Integer.toHexString(model.hashCode());
    }

    Model get(Path file) {
        return Objects.requireNonNull(models.get(file), file.toString());
    }

    List<Model> get(List<Path> files) {
        return files.stream().map(this::get).toList();
    }
}
