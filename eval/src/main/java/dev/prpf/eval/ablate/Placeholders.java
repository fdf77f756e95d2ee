package dev.prpf.eval.ablate;

import dev.prpf.base.config.StrictYaml;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.commons.lang3.StringUtils;

/**
 * Fills the placeholders of a configuration's texts: {@code {run}} the ablation's directory, {@code {configs}} the project's configurations,
 * {@code {store}} the shared encodings, {@code {NAME}} a place, {@code {models.NAME}} what a model gives, {@code {options.NAME}} options;
 * and what a text has of its own: {@code {self}} its directory, {@code {seed}}. What is wrong is noted, not thrown, so that all of it is
 * reported at once.
 */
final class Placeholders {
    private static final Pattern NAME = Pattern.compile("\\{([^{}]*)}");
    private static final String OPTIONS = "options.";
    private static final String MODELS = "models.";

    private final AblateConfig config;
    private final Path run;
    private final Map<String, String> texts = new LinkedHashMap<>();
    private final List<String> defects;
    /** The names whose texts are being filled, outermost first. */
    private final Deque<String> open = new ArrayDeque<>();

    /** @param defects where defects are noted, each with its place */
    Placeholders(AblateConfig config, Path run, Path configs, List<String> defects) {
        this.config = config;
        this.run = run;
        this.defects = defects;
        texts.putAll(config.places());
        Map<String, String> built = Map.of("run", run.toString(), "configs", configs.toString());
        Stream.concat(built.keySet().stream(), Stream.of("store", "self", "seed"))
                .filter(config.places()::containsKey)
                .forEach(name -> defects.add("places." + name + ": is a name that stands for something already"));
        texts.putAll(built);
        texts.put("store", config.store());
    }

    /**
     * A text with its placeholders filled.
     *
     * @param words of it, separated by blanks
     * @param models that it names
     */
    record Filled(List<String> words, Set<String> models) {}

    /**
     * Fills a command line. Blanks separate words before anything is filled, so a place may hold blanks.
     *
     * @param place where the text stands in the configuration
     * @param own names that stand for something in this text alone
     */
    Filled words(String place, String text, Map<String, String> own) {
        Text filling = new Text(place, own, new LinkedHashSet<>());
        return new Filled(words(text, filling), filling.models);
    }

    /** Fills a path or another single word. */
    Filled word(String place, String text, Map<String, String> own) {
        Text filling = new Text(place, own, new LinkedHashSet<>());
        return new Filled(List.of(word(text, filling)), filling.models);
    }

    /** Where a model's own files go. */
    Path modelDirectory(String model) {
        return run.resolve("models").resolve(model);
    }

    /** What is known while a text is filled; the models that it names are added. */
    private record Text(String place, Map<String, String> own, Set<String> models) {}

    private List<String> words(String text, Text filling) {
        List<String> words = new ArrayList<>();
        for (String word : StringUtils.split(text)) {
            Matcher whole = NAME.matcher(word);
            if (whole.matches() && whole.group(1).startsWith(OPTIONS)) {
                String name = whole.group(1);
                String options = config.options().get(name.substring(OPTIONS.length()));
                if (options == null) {
                    unknown(name, filling);
                } else if (begin(name, filling)) {
                    words.addAll(words(options, filling));
                    open.pop();
                }
            } else {
                words.add(word(word, filling));
            }
        }
        return words;
    }

    private String word(String text, Text filling) {
        return NAME.matcher(text).replaceAll(found -> Matcher.quoteReplacement(value(found.group(1), filling)));
    }

    private String value(String name, Text filling) {
        if (filling.own.containsKey(name)) {
            return filling.own.getOrDefault(name, "");
        }
        String model = name.startsWith(MODELS) ? name.substring(MODELS.length()) : "";
        AblateConfig.Model made = config.models().get(model);
        if (made != null) {
            filling.models.add(model);
        }
        String text = made == null ? texts.get(name) : made.gives();
        if (text == null) {
            unknown(name, filling);
            return "";
        }
        if (!begin(name, filling)) {
            return "";
        }
        Map<String, String> own = made == null
                ? filling.own
                : Map.of("self", modelDirectory(model).toString());
        String value = word(text, new Text(filling.place, own, filling.models));
        open.pop();
        return value;
    }

    private boolean begin(String name, Text filling) {
        if (open.contains(name)) {
            defects.add(filling.place + ": {" + name + "} stands for itself");
            return false;
        }
        open.push(name);
        return true;
    }

    private void unknown(String name, Text filling) {
        if (name.startsWith(OPTIONS) && config.options().containsKey(name.substring(OPTIONS.length()))) {
            defects.add(filling.place + ": {" + name + "} is a part of a word, must be a word of its own");
            return;
        }
        List<String> known = new ArrayList<>(texts.keySet());
        known.addAll(filling.own.keySet());
        config.models().keySet().forEach(model -> known.add(MODELS + model));
        config.options().keySet().forEach(options -> known.add(OPTIONS + options));
        defects.add(filling.place + ": {" + name + "} stands for nothing" + StrictYaml.hint(name, known));
    }
}
