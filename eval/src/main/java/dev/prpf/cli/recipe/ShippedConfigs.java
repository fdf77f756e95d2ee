package dev.prpf.cli.recipe;

import dev.prpf.base.config.Defaults;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.error.Suggestion;
import dev.prpf.base.files.IoFailure;
import dev.prpf.cli.launch.LaunchConfig;
import dev.prpf.data.synth.SynthSettings;
import dev.prpf.eval.judge.LlmJudge;
import dev.prpf.mpp.training.EnsembleConfig;
import dev.prpf.mpp.training.MppConfig;
import dev.prpf.par.cascade.RemoteReasoner;
import dev.prpf.par.command.AdoptCommand;
import dev.prpf.par.command.ParInitConfig;
import dev.prpf.par.command.ParInitVisionConfig;
import dev.prpf.par.pipeline.DataGenerateCommand;
import dev.prpf.par.pipeline.DataReviewCommand;
import dev.prpf.par.reward.RewardSettings;
import dev.prpf.par.rollout.DataRolloutsConfig;
import dev.prpf.par.rollout.RemoteRollouts;
import dev.prpf.par.serve.ServeConfig;
import dev.prpf.par.serve.policy.UserPolicy;
import dev.prpf.par.sets.DataCallsConfig;
import dev.prpf.par.sets.SftSet.DataSftConfig;
import dev.prpf.par.teacher.ModelTeacher;
import dev.prpf.par.training.ParGrpoConfig;
import dev.prpf.par.training.ParSftConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The configurations in {@code configs/} by name: the path there without {@code .yaml}. */
final class ShippedConfigs {
    private static final String YAML = ".yaml";
    static final String RECIPE = "recipe";

    /** The configurations with defaults. */
    static final List<Class<? extends Record>> TYPES = List.of(
            SynthSettings.class,
            DataSftConfig.class,
            DataCallsConfig.class,
            DataRolloutsConfig.class,
            RemoteRollouts.Config.class,
            DataGenerateCommand.Config.class,
            DataReviewCommand.Config.class,
            ModelTeacher.Config.class,
            MppConfig.class,
            EnsembleConfig.class,
            ParInitConfig.class,
            ParInitVisionConfig.class,
            AdoptCommand.RegistrationConfig.class,
            ParSftConfig.class,
            ParGrpoConfig.class,
            RewardSettings.class,
            RemoteReasoner.Config.class,
            ServeConfig.class,
            UserPolicy.class,
            LlmJudge.Config.class,
            LlmJudge.LocalConfig.class,
            LaunchConfig.class);

    private ShippedConfigs() {}

    /** Returns the files by name, without the files of other trainers and of schedulers. */
    static SortedMap<String, Path> files() {
        Path root = Path.of(System.getProperty("prpf.root", "."), "configs");
        return IoFailure.whileReading("cannot list " + root, () -> {
            try (Stream<Path> files = Files.walk(root)) {
                SortedMap<String, Path> named = new TreeMap<>();
                files.filter(file -> file.toString().endsWith(YAML))
                        .filter(file -> !file.startsWith(root.resolve("launch")) || file.endsWith("job.yaml"))
                        .forEach(file ->
                                named.put(root.relativize(file).toString().replace(YAML, ""), file));
                return named;
            }
        });
    }

    static Path file(String name) {
        SortedMap<String, Path> files = files();
        if (!files.containsKey(name)) {
            throw new UsageException("no shipped configuration is called \"" + name + "\""
                    + Suggestion.closest(name, files.keySet())
                            .map(best -> "; did you mean " + best + "?")
                            .orElse("; ./prpf config list shows the names"));
        }
        return Objects.requireNonNull(files.get(name));
    }

    /**
     * Returns the record of a configuration: that of the longest default name with which this name begins.
     *
     * @throws UsageException if no configuration has this name
     */
    static Optional<Class<? extends Record>> type(String name) {
        file(name);
        if (name.equals(RECIPE) || name.equals("quickstart")) {
            return Optional.of(Recipe.class);
        }
        String last = name.startsWith("quickstart/") ? name.substring(name.indexOf('/') + 1) : name;
        return TYPES.stream()
                .filter(type -> last.startsWith(defaultsOf(type)))
                .max(Comparator.comparingInt(type -> defaultsOf(type).length()));
    }

    /** Returns the name of the configuration that holds a record's defaults. */
    static String defaultsOf(Class<?> type) {
        return Objects.requireNonNull(type.getAnnotation(Defaults.class), type.getName())
                .value()
                .replace("/configs/", "")
                .replace(YAML, "");
    }

    /** Returns the first sentence of a file's head, without the commands that use the file. */
    static String summary(Path file) {
        String text = IoFailure.whileReading(file, () -> Files.readString(file));
        return text.lines()
                .takeWhile(line -> line.startsWith("#"))
                .map(line -> line.substring(1).strip())
                .filter(line -> !line.matches("(\\./)?prpf .*|PRPF_.*"))
                .collect(Collectors.joining(" "))
                .replaceFirst("(?<=\\.) .*", "");
    }
}
