package dev.prpf.cli.sweep;

import dev.prpf.base.config.Rule;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.workflow.Placeholders;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/**
 * A configuration in configs/sweeps/: sweeps that run one after the other, each in a folder of its name. Commands and sources of metrics may
 * hold {@code {NAME}} for a place, {@code {run}} for the folder of all sweeps and {@code {configs}} for the project's configurations. {@link
 * SweepPlan#of} fills further placeholders.
 *
 * @param places shared paths and other values by name
 * @param options shared options by name; the word {@code {options.NAME}} is replaced by their words
 * @param sweeps by name, in order
 */
public record SweepConfig(Map<String, String> places, Map<String, String> options, Map<String, Part> sweeps) {
    private static final Set<String> TAKEN = Set.of("run", "self", "configs");

    public SweepConfig {
        Rule.require(!sweeps.isEmpty(), "sweeps", "{}", "at least one");
        places.keySet()
                .forEach(name -> Rule.require(
                        name.matches("[A-Za-z][A-Za-z0-9_-]*") && !TAKEN.contains(name),
                        "places",
                        name,
                        "a letter, then letters, digits, hyphens and underscores, and none of run, self, configs"));
        sweeps.keySet()
                .forEach(name -> Rule.require(
                        name.matches("[A-Za-z0-9][A-Za-z0-9_-]*"),
                        "sweeps",
                        name,
                        "letters, digits, hyphens and underscores, for it names a folder"));
    }

    /**
     * Configuration of one sweep.
     *
     * @param title of its table
     * @param axes each in the form of {@code --sweep}
     * @param commands of a member, in order, each a command line without {@code ./prpf}; blanks separate words
     * @param metrics sources by name ({@link MetricSource}); empty for every number of the last command's result that differs
     * @param published the paper's table to compare with, "PRPF Table 8", or null
     */
    public record Part(
            String title,
            List<String> axes,
            List<String> commands,
            Map<String, String> metrics,
            @Nullable String published) {
        public Part {
            metrics.values().forEach(MetricSource::parse);
            Rule.require(
                    published == null || SweepReport.published(published).isPresent(),
                    "published",
                    published,
                    "null or a paper's table, as \"PRPF Table 8\"");
        }

        private SweepPlan planned(Path directory, Map<String, String> texts, CommandLine tree) {
            Placeholders placeholders = new Placeholders(texts, defect -> {
                throw new UsageException(defect);
            });
            Map<String, String> later = new HashMap<>(Map.of("self", "{self}")); // filled by the plan
            axes.forEach(axis ->
                    later.put(Axis.parse(axis).key(), "{" + Axis.parse(axis).key() + "}"));
            List<String> words = placeholders.words("", String.join(" " + SweepPlan.THEN + " ", commands), later);
            Map<String, String> sources = new LinkedHashMap<>();
            metrics.forEach((metric, source) -> sources.put(metric, placeholders.word("", source, later)));
            return SweepPlan.of(axes, words, directory, tree).gathering(new GatherSettings(title, sources, published));
        }
    }

    /**
     * Plans all sweeps of the configuration.
     *
     * @param file the configuration's path, for messages
     * @param configs the project's configurations
     * @throws PrpfException 78, listing all invalid axes, commands and placeholders
     */
    Map<String, SweepPlan> plans(String file, Path run, Path configs, CommandLine tree) {
        Path root = run.toAbsolutePath().normalize();
        Map<String, String> texts = new LinkedHashMap<>(places);
        texts.putAll(Map.of("run", root.toString(), "configs", configs.toString()));
        options.forEach((name, text) -> texts.put(Placeholders.OPTIONS + name, text));
        Map<String, SweepPlan> plans = new LinkedHashMap<>();
        List<String> defects = new ArrayList<>();
        sweeps.forEach((name, part) -> {
            try {
                plans.put(name, part.planned(root.resolve(name), texts, tree));
            } catch (UsageException e) {
                defects.add(file + ": sweeps." + name + ": " + e.getMessage());
            }
        });
        if (!defects.isEmpty()) {
            throw new InvalidConfigurationException(String.join("\n       ", defects));
        }
        return plans;
    }

    /**
     * Settings for gathering the results of a sweep's members.
     *
     * @param title of the table; empty for the sweep's name
     * @param metrics sources by name (a file and a JSON Pointer); empty for every number of the last command's result that differs
     * @param published the paper's table to compare with, "PRPF Table 8", or null
     */
    record GatherSettings(String title, Map<String, String> metrics, @Nullable String published) {
        static final GatherSettings ALL = new GatherSettings("", Map.of(), null);
    }
}
