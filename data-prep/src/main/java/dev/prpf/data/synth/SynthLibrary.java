package dev.prpf.data.synth;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.files.Resource;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Language;
import dev.prpf.data.Recommendation;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.synth.SynthSample.CueScreen;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The generator's material from JSON resources next to this class: intents, entities, wishes and distractors. */
final class SynthLibrary {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** The two scenarios that only the test split has, as in ProactiveMobile. */
    static final Set<String> OUT_OF_DISTRIBUTION = Set.of("Logistics & Delivery", "Smart Home");

    private final Map<String, Intent> intents = new LinkedHashMap<>();
    private final Map<String, List<Entity>> vocabularies;
    private final List<List<String>> combinations;
    private final Map<String, PhraseTemplates> wishes;
    private final Map<String, PhraseTemplates> sentences = new LinkedHashMap<>();
    private final Map<String, PhraseTemplates> slots;
    private final List<VisualCue> cues;
    private final ScenarioCatalog catalog;

    /**
     * An entity that a sample can name and a parameter can take.
     *
     * @param code its enumeration value, or null if the name is the value
     */
    record Entity(String zh, String en, @Nullable String code) {
        String in(Language language) {
            return language.of(zh, en);
        }

        String value(Language language) {
            return code == null ? in(language) : code;
        }
    }

    /** A part of each vocabulary of names, places and values. Codes of an enumeration belong to every part. */
    enum Names {
        ALL,
        /** Every third entity of a vocabulary. */
        HELD_OUT,
        OTHERS;

        private static final int OF = 3;

        private List<Entity> of(List<Entity> vocabulary) {
            boolean codes = vocabulary.stream().anyMatch(entity -> entity.code() != null);
            return this == ALL || codes
                    ? vocabulary
                    : IntStream.range(0, vocabulary.size())
                            .filter(i -> (i % OF == OF - 1) == (this == HELD_OUT))
                            .mapToObj(vocabulary::get)
                            .toList();
        }
    }

    SynthLibrary(ScenarioCatalog catalog, Names names) {
        this.catalog = catalog;
        for (Intent intent : read("intents", new TypeReference<List<Intent>>() {})) {
            intents.put(intent.function(), intent);
        }
        vocabularies = read("vocabularies", new TypeReference<LinkedHashMap<String, List<Entity>>>() {});
        vocabularies.replaceAll((name, entities) -> names.of(entities));
        combinations = read("combinations", new TypeReference<Map<String, List<List<String>>>>() {})
                .getOrDefault("combinations", List.of());
        wishes = read("wishes", new TypeReference<LinkedHashMap<String, PhraseTemplates>>() {});
        cues = read("cues", new TypeReference<List<VisualCue>>() {});
        Map<String, JsonNode> distractors =
                read("distractors", new TypeReference<LinkedHashMap<String, JsonNode>>() {});
        JsonNode slotNode = distractors.remove("slots");
        slots = JSON.convertValue(slotNode, new TypeReference<LinkedHashMap<String, PhraseTemplates>>() {});
        distractors.forEach((name, node) -> sentences.put(name, JSON.convertValue(node, PhraseTemplates.class)));
    }

    private static <T> T read(String name, TypeReference<T> type) {
        String resource = name + ".json";
        return IoFailure.whileReading(
                "cannot read the resource " + resource,
                () -> JSON.readValue(Resource.bytes(SynthLibrary.class, resource), type));
    }

    private Intent intent(String function) {
        return known(intents, function, "intent");
    }

    String scenarioOf(Intent intent) {
        return scenarioOf(intent.function());
    }

    String scenarioOf(String function) {
        return Objects.requireNonNull(catalog.scenarioOf(function), function);
    }

    /** Returns the screens on which a look decides. */
    List<VisualCue> cues() {
        return cues;
    }

    /** Returns the two out-of-distribution scenarios, or the twelve of training. */
    List<String> scenarios(boolean outOfDistribution) {
        return catalog.names().stream()
                .filter(name -> OUT_OF_DISTRIBUTION.contains(name) == outOfDistribution)
                .toList();
    }

    List<Intent> intentsOf(String scenario) {
        return intents.values().stream()
                .filter(intent -> scenarioOf(intent).equals(scenario))
                .toList();
    }

    /** Returns the combinations of a number of functions that start in the scenario. */
    List<List<Intent>> combinationsOf(String scenario, int calls) {
        return combinations.stream()
                .filter(functions -> functions.size() == calls)
                .map(functions -> functions.stream().map(this::intent).toList())
                .filter(intents -> scenarioOf(intents.get(0)).equals(scenario))
                .toList();
    }

    List<Entity> vocabulary(String name) {
        return known(vocabularies, name, "vocabulary");
    }

    PhraseTemplates wishTopics(String scenario) {
        return known(wishes, scenario, "wish");
    }

    PhraseTemplates sentences(String name) {
        return known(sentences, name, "kind of sentence");
    }

    PhraseTemplates slot(String name) {
        return known(slots, name, "slot");
    }

    private static <T> T known(Map<String, T> map, String name, String what) {
        T value = map.get(name);
        if (value == null) {
            throw new IllegalArgumentException("no " + what + " is called " + name + ", known are " + map.keySet());
        }
        return value;
    }

    /**
     * Templates with one meaning in both languages; {@code {slot}} is replaced by an entity.
     *
     * @param zh Chinese templates, at least one
     * @param en English templates, at least one
     */
    record PhraseTemplates(List<String> zh, List<String> en) {
        PhraseTemplates {
            zh = List.copyOf(zh);
            en = List.copyOf(en);
            if (zh.isEmpty() || en.isEmpty()) {
                throw new IllegalArgumentException("a family of phrases needs a template in each language: " + zh + en);
            }
        }

        List<String> in(Language language) {
            return language.of(zh, en);
        }
    }

    /**
     * A kind of generated screen on which only a colour, an icon or a position decides the answer.
     *
     * @param kind the kind of look
     * @param captions texts below it, one or one per option
     * @param options the answers, one per thing that may be lit
     */
    record VisualCue(CueScreen.Kind kind, Intent.Wording title, List<Intent.Wording> captions, List<Option> options) {
        /**
         * The answer of an option.
         *
         * @param instruction the proposal to the user
         */
        record Option(String function, Map<String, JsonNode> parameters, Intent.Wording instruction) {
            Recommendation answer(Language language) {
                FunctionCall call = new FunctionCall(function, new LinkedHashMap<>(parameters));
                return new Recommendation(instruction.in(language), List.of(call));
            }
        }

        VisualCue {
            captions = List.copyOf(captions);
            options = List.copyOf(options);
            if (options.size() < 2 || (captions.size() != 1 && captions.size() != options.size())) {
                throw new IllegalArgumentException(
                        kind + ": must have two options or more, and one caption or as many: " + captions + options);
            }
        }
    }
}
