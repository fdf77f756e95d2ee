package dev.prpf.par.sets;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.base.config.Rule;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.Sample.Modality;
import dev.prpf.data.Trajectory;
import dev.prpf.data.io.FunctionCallJson;
import dev.prpf.mpp.CandidatePool;
import dev.prpf.par.sets.Augmentation.TextSample.Slot;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Augments labelled samples: replaces values and drops distractors, differently in every epoch. */
final class Augmentation {
    private final Settings settings;
    private final long seed;
    private final ValueSubstitution substitution;

    /**
     * @param samples of the training: their values may replace each other
     * @param seed of replacements and dropout
     */
    public Augmentation(Settings settings, Collection<Sample> samples, long seed) {
        this.settings = settings;
        this.seed = seed;
        this.substitution = new ValueSubstitution(
                samples.stream().map(TextSample::of).filter(Objects::nonNull).toList());
    }

    /**
     * Returns the sample for an epoch, with its target as the only answer; null if nothing is rewritten.
     *
     * @param epoch from 0
     */
    public @Nullable Sample rewrite(Sample sample, int epoch) {
        double dropout = settings.dropout(epoch);
        if (sample.labelled() && sample.target() == null) {
            return emptied(sample, dropout, random(sample, epoch));
        }
        TextSample text = TextSample.of(sample);
        if (text == null || (settings.valueSubstitution() == 0 && dropout == 0)) {
            return null;
        }
        RandomGenerator random = random(sample, epoch);
        if (random.nextDouble() < settings.valueSubstitution()) {
            text = substitution.apply(text, random);
        }
        return DistractorDropout.apply(text, dropout, random).in(sample);
    }

    /** Returns the sample with only one step. Silence depends on the relation of a sample's parts, so single parts must not be dropped. */
    private static @Nullable Sample emptied(Sample sample, double dropout, RandomGenerator random) {
        List<String> steps = sample.trajectory().texts();
        if (sample.modality() != Modality.TEXT || steps.isEmpty() || random.nextDouble() >= dropout) {
            return null;
        }
        return sample.with(
                new DeviceContext("", "", ""),
                Trajectory.ofTexts(List.of(steps.get(random.nextInt(steps.size())))),
                sample.answers());
    }

    /** Returns the candidates in a rewritten sample's prompt: functions that its target does not call are distractors, too. */
    public CandidatePool thin(CandidatePool candidates, Sample rewritten, int epoch) {
        double dropout = settings.candidateDropout() ? settings.dropout(epoch) : 0;
        Set<String> called = rewritten.validSequences().get(0).stream()
                .map(FunctionCall::name)
                .collect(Collectors.toSet());
        RandomGenerator random = random(rewritten, ~epoch);
        return new CandidatePool(
                candidates.scenarios(),
                candidates.functions().stream()
                        .filter(function -> random.nextDouble() >= dropout || called.contains(function.name()))
                        .toList());
    }

    private RandomGenerator random(Sample sample, int stream) {
        return new SplittableRandom(
                (seed * 1_000_003L + stream) * 1_000_003L + sample.id().hashCode());
    }

    /** Drops steps of the trajectory and sentences of the context without values that the target copies. */
    private static final class DistractorDropout {
        private static final Pattern SENTENCE_END = Pattern.compile("(?<=[。！？；!?;])|(?<=\\. )");

        private DistractorDropout() {}

        /** @param share of parts without a copied value, in [0, 1]; a trajectory keeps at least its last step */
        static TextSample apply(TextSample sample, double share, RandomGenerator random) {
            Set<String> copied = sample.copied(true).keySet();
            List<String> steps = sample.steps();
            List<String> kept = new ArrayList<>(keep(steps, copied, share, random));
            if (kept.isEmpty() && !steps.isEmpty()) {
                kept.add(steps.get(steps.size() - 1));
            }
            return sample.with(kept, text -> sentences(text, copied, share, random));
        }

        private static String sentences(String text, Set<String> copied, double share, RandomGenerator random) {
            return keep(Arrays.asList(SENTENCE_END.split(text)), copied, share, random).stream()
                    .collect(Collectors.joining());
        }

        private static List<String> keep(List<String> parts, Set<String> copied, double share, RandomGenerator random) {
            return parts.stream()
                    .filter(part ->
                            random.nextDouble() >= share || copied.stream().anyMatch(part::contains))
                    .toList();
        }
    }

    /**
     * Replaces values that a target copies from its context by others of the same parameter and function in the data. It replaces them in trajectory,
     * context, instruction and calls alike, so that the sample stays correct.
     */
    private static final class ValueSubstitution {
        private static final int TRIES = 8;

        private final Map<Slot, List<String>> lexicon;

        /** @param samples source of the values, as by {@link TextSample} */
        ValueSubstitution(Collection<TextSample> samples) {
            Map<Slot, TreeSet<String>> values = new HashMap<>();
            samples.forEach(sample -> sample.copied(false)
                    .forEach((value, slot) ->
                            values.computeIfAbsent(slot, s -> new TreeSet<>()).add(value)));
            lexicon = values.entrySet().stream()
                    .collect(Collectors.toMap(Map.Entry::getKey, e -> List.copyOf(e.getValue())));
        }

        TextSample apply(TextSample sample, RandomGenerator random) {
            Map<String, String> exchange = exchange(sample, random);
            if (exchange.isEmpty()) {
                return sample;
            }
            Pattern any = Pattern.compile(exchange.keySet().stream()
                    .sorted(Comparator.comparingInt(String::length).reversed())
                    .map(Pattern::quote)
                    .collect(Collectors.joining("|")));
            UnaryOperator<String> words = text -> any.matcher(text)
                    .replaceAll(found -> Matcher.quoteReplacement(exchange.getOrDefault(found.group(), found.group())));
            TextSample exchanged =
                    sample.with(sample.steps().stream().map(words).toList(), words);
            return new TextSample(
                    exchanged.steps(),
                    exchanged.context(),
                    new Recommendation(
                            words.apply(sample.target().instruction()),
                            sample.target().calls().stream()
                                    .map(call -> call(call, words))
                                    .toList()));
        }

        /** Returns another value of its slot for each copied text, if one is neither in the sample nor used yet. */
        private Map<String, String> exchange(TextSample sample, RandomGenerator random) {
            String standing = sample.words();
            Map<String, String> exchange = new LinkedHashMap<>();
            sample.copied(false).forEach((value, slot) -> {
                List<String> others = lexicon.getOrDefault(slot, List.of());
                for (int i = 0; i < TRIES && !others.isEmpty(); i++) {
                    String other = others.get(random.nextInt(others.size()));
                    if (!standing.contains(other) && !exchange.containsValue(other)) {
                        exchange.put(value, other);
                        return;
                    }
                }
            });
            return exchange;
        }

        private static FunctionCall call(FunctionCall call, UnaryOperator<String> words) {
            Map<String, JsonNode> parameters = new LinkedHashMap<>();
            call.parameters().forEach((name, value) -> parameters.put(name, value(value, words)));
            return new FunctionCall(call.name(), parameters);
        }

        private static JsonNode value(JsonNode value, UnaryOperator<String> words) {
            if (value.isArray()) {
                ArrayNode array = JsonNodeFactory.instance.arrayNode();
                value.forEach(inner -> array.add(value(inner, words)));
                return array;
            }
            if (value.isObject()) {
                ObjectNode object = JsonNodeFactory.instance.objectNode();
                value.properties().forEach(field -> object.set(field.getKey(), value(field.getValue(), words)));
                return object;
            }
            return value.isTextual() ? TextNode.valueOf(words.apply(value.textValue())) : value;
        }
    }

    /**
     * The augmentation before an epoch; the {@code examples.augmentation:} section of {@code configs/reasoner-sft*.yaml}. Not in the paper, which has a
     * pretrained reasoner; {@link #NONE} is the paper's setting.
     *
     * @param valueSubstitution share of the samples, in [0, 1], with copied values replaced by other values of the same parameters
     * @param distractorDropout share per epoch, in [0, 1], of dropped distractors: steps and sentences without a copied value. A curriculum from
     *     short contexts to whole ones. The same share of the silent samples is emptied to one step. Epochs beyond the list drop nothing
     * @param candidateDropout whether the same share of the candidate functions is dropped, except those that the target calls
     */
    public record Settings(double valueSubstitution, List<Double> distractorDropout, boolean candidateDropout) {
        /** Leaves all samples unchanged. */
        public static final Settings NONE = new Settings(0, List.of(), true);

        public Settings {
            distractorDropout = List.copyOf(distractorDropout);
            requireShare("value-substitution", valueSubstitution);
            for (int epoch = 0; epoch < distractorDropout.size(); epoch++) {
                requireShare("distractor-dropout[" + epoch + "]", distractorDropout.get(epoch));
            }
        }

        private static void requireShare(String key, double value) {
            Rule.require(value >= 0 && value <= 1, key, value, "in [0, 1]");
        }

        /** Returns whether some epoch changes samples. */
        public boolean any() {
            return valueSubstitution > 0 || distractorDropout.stream().anyMatch(share -> share > 0);
        }

        double dropout(int epoch) {
            return epoch < distractorDropout.size() ? distractorDropout.get(epoch) : 0;
        }
    }

    /** The part of a sample that augmentation may rewrite: the steps of its trajectory, its context and a target that acts. */
    record TextSample(List<String> steps, DeviceContext context, Recommendation target) {
        /** A parameter of a function, including nested values, by their names. */
        record Slot(String function, String parameter) {}

        /** Returns the parts of a text sample with a target that acts and copies something; else null. */
        static @Nullable TextSample of(Sample sample) {
            Recommendation target = sample.labelled() ? sample.target() : null;
            if (target == null || sample.modality() != Modality.TEXT) {
                return null;
            }
            TextSample text = new TextSample(sample.trajectory().texts(), sample.context(), target);
            return text.copied(true).isEmpty() ? null : text;
        }

        /**
         * Returns the texts of the target's calls that occur verbatim in the context, which a reasoner has to copy. Each has its first slot, in the order
         * of the calls.
         *
         * @param numbers whether to include numbers
         */
        Map<String, Slot> copied(boolean numbers) {
            Map<String, Slot> values = new LinkedHashMap<>();
            for (FunctionCall call : target.calls()) {
                call.parameters().forEach((parameter, value) -> FunctionCallJson.leaves(value)
                        .filter(leaf -> leaf.isTextual() || (leaf.isNumber() && numbers))
                        .forEach(leaf -> values.putIfAbsent(leaf.asText(), new Slot(call.name(), parameter))));
            }
            String words = words();
            values.keySet().removeIf(value -> value.isEmpty() || !words.contains(value));
            return values;
        }

        /** Returns the whole context; parts are on separate lines, so that no value spans two. */
        String words() {
            return String.join("\n", steps) + "\n" + context.profile() + "\n" + context.phone() + "\n"
                    + context.world();
        }

        /** Returns this target with other steps and a rewritten context. */
        TextSample with(List<String> steps, UnaryOperator<String> texts) {
            return new TextSample(
                    steps,
                    new DeviceContext(
                            texts.apply(context.profile()), texts.apply(context.phone()), texts.apply(context.world())),
                    target);
        }

        /** Returns the sample with these texts; the target is its only answer. */
        Sample in(Sample sample) {
            return sample.with(context, Trajectory.ofTexts(steps), List.of(target));
        }
    }
}
