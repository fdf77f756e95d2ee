package dev.prpf.par.augment;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Recommendation;
import dev.prpf.par.augment.TextSample.Slot;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Exchanges the values that a target copies from its context for others that the same parameter of the same function takes elsewhere in the
 * data: in the trajectory, the context, the instruction and the calls alike, so that the sample stays true.
 */
final class ValueSubstitution {
    private static final int TRIES = 8;

    private final Map<Slot, List<String>> lexicon;

    /** @param samples of which to take values: those that {@link TextSample} takes */
    ValueSubstitution(Collection<TextSample> samples) {
        Map<Slot, TreeSet<String>> values = new HashMap<>();
        samples.forEach(sample -> sample.copiedTexts()
                .forEach((value, slot) ->
                        values.computeIfAbsent(slot, s -> new TreeSet<>()).add(value)));
        lexicon =
                values.entrySet().stream().collect(Collectors.toMap(Map.Entry::getKey, e -> List.copyOf(e.getValue())));
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
        TextSample exchanged = sample.with(sample.steps().stream().map(words).toList(), words);
        return new TextSample(
                exchanged.steps(),
                exchanged.context(),
                new Recommendation(
                        words.apply(sample.target().instruction()),
                        sample.target().calls().stream()
                                .map(call -> call(call, words))
                                .toList()));
    }

    /** For each copied text another of its slot, where there is one that does not stand in the sample and is not taken yet. */
    private Map<String, String> exchange(TextSample sample, RandomGenerator random) {
        String standing = sample.words();
        Map<String, String> exchange = new LinkedHashMap<>();
        sample.copiedTexts().forEach((value, slot) -> {
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
