package dev.prpf.cli.sweep;

import dev.prpf.base.config.Rule;
import dev.prpf.base.error.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UsageException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.commons.lang3.StringUtils;
import org.jspecify.annotations.Nullable;

/**
 * configs/sweeps/: sweeps that run one after the other, each in a folder of its name. Commands and sources of metrics may hold {@code {NAME}}
 * for a place, {@code {run}} for the folder of all of them and {@code {configs}} for the project's configurations, beside what {@link
 * SweepPlan#of} fills.
 *
 * @param places names for paths and other values that several commands share; one may hold those above it
 * @param options names for options that several commands share; a word that is {@code {options.NAME}} stands for their words, in commands and in
 *     options below
 * @param sweeps by name, in order
 */
public record SweepConfig(Map<String, String> places, Map<String, String> options, Map<String, Part> sweeps) {
    private static final Set<String> TAKEN = Set.of("run", "self", "configs");
    private static final Pattern PLACE = Pattern.compile("\\{([A-Za-z][\\w-]*)}");
    private static final Pattern OPTIONS = Pattern.compile("\\{options\\.([\\w-]+)}");

    public SweepConfig {
        places = Collections.unmodifiableMap(new LinkedHashMap<>(places));
        options = Collections.unmodifiableMap(new LinkedHashMap<>(options));
        sweeps = Collections.unmodifiableMap(new LinkedHashMap<>(sweeps));
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
     * One sweep.
     *
     * @param title of its table
     * @param axes each as {@code --sweep} takes it
     * @param commands of a member, in order, each a command line without {@code ./prpf}; blanks separate words
     * @param metrics by name, where each is found ({@link MetricSource}); none: every number of the last command's result that differs
     * @param published the paper's table that stands beside, "PRPF Table 8", or null
     */
    public record Part(
            String title,
            List<String> axes,
            List<String> commands,
            Map<String, String> metrics,
            @Nullable String published) {
        public Part {
            axes = List.copyOf(axes);
            commands = List.copyOf(commands);
            metrics = Collections.unmodifiableMap(new LinkedHashMap<>(metrics));
            metrics.values().forEach(MetricSource::parse);
            Rule.require(
                    published == null || SweepReport.published(published).isPresent(),
                    "published",
                    published,
                    "null or a paper's table, as \"PRPF Table 8\"");
        }

        private Planned planned(List<String> words, Path directory, Map<String, String> known) {
            SweepPlan plan = SweepPlan.of(axes, words, directory);
            Map<String, String> sources = new LinkedHashMap<>();
            metrics.forEach((metric, source) -> {
                sources.put(metric, fill(source, known));
                plan.filled(fill(source, known), plan.members().get(0)); // refused before anything runs
            });
            return new Planned(plan, new GatherSettings(title, sources, published));
        }
    }

    /** A sweep that can be run. */
    record Planned(SweepPlan plan, GatherSettings gather) {}

    /**
     * Plans the sweeps.
     *
     * @param file they stand in, for messages
     * @param run the folder of all of them
     * @param configs the project's configurations
     * @throws PrpfException 78 for axes, commands or placeholders that make no sense, all told at once
     */
    Map<String, Planned> plans(String file, Path run, Path configs) {
        Path root = run.toAbsolutePath().normalize();
        Map<String, String> known = new LinkedHashMap<>();
        known.put("run", root.toString());
        known.put("configs", configs.toString());
        places.forEach((name, text) -> known.put(name, fill(text, known)));
        Map<String, List<String>> shared = new LinkedHashMap<>();
        options.forEach((name, text) -> shared.put(name, words(text, shared, known)));
        Map<String, Planned> plans = new LinkedHashMap<>();
        List<String> defects = new ArrayList<>();
        sweeps.forEach((name, part) -> {
            try {
                List<String> words = new ArrayList<>();
                part.commands().forEach(command -> {
                    words.addAll(words.isEmpty() ? List.of() : List.of(SweepPlan.THEN));
                    words.addAll(words(command, shared, known));
                });
                plans.put(name, part.planned(words, root.resolve(name), known));
            } catch (UsageException e) {
                defects.add(file + ": sweeps." + name + ": " + e.getMessage());
            }
        });
        if (!defects.isEmpty()) {
            throw new InvalidConfigurationException(String.join("\n       ", defects));
        }
        return plans;
    }

    private static List<String> words(String text, Map<String, List<String>> shared, Map<String, String> known) {
        List<String> words = new ArrayList<>();
        for (String word : StringUtils.split(text)) {
            Matcher name = OPTIONS.matcher(word);
            List<String> options = name.matches() ? shared.get(name.group(1)) : null;
            words.addAll(options == null ? List.of(fill(word, known)) : options);
        }
        return words;
    }

    /** What is known is filled; the rest is the plan's. */
    private static String fill(String text, Map<String, String> known) {
        return PLACE.matcher(text)
                .replaceAll(found -> Matcher.quoteReplacement(known.getOrDefault(found.group(1), found.group())));
    }
}
