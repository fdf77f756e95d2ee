package dev.prpf.par.reward;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.FunctionSpec.ParameterSpec;
import dev.prpf.par.response.RandomResponses;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;

/** Seeded random pools, answers, and responses that are right, partly right or wrong by construction. */
final class RandomGold {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final String[] TYPES = {"string", "int", "bool", "list", "dict", "enumerated"};
    private static final String[] WORDS = {"武汉", "Li Wei", "coffee", "3 km", "a", "会议室", "2026-03-05", "08:30"};
    private static final int FUNCTIONS = 9;
    private static final int MAX_CALLS = 3;

    private final Random random;
    private final RandomResponses responses;
    private FunctionPool pool = new FunctionPool(List.of());

    RandomGold(long seed) {
        random = new Random(seed);
        responses = new RandomResponses(seed);
    }

    FunctionPool pool() {
        return pool;
    }

    void nextPool() {
        List<FunctionSpec> functions = new ArrayList<>();
        for (int i = 0; i < FUNCTIONS; i++) {
            List<ParameterSpec> parameters = new ArrayList<>();
            for (int j = random.nextInt(4); j > 0; j--) {
                String type = TYPES[random.nextInt(TYPES.length)];
                boolean enumerated = type.equals("enumerated");
                parameters.add(new ParameterSpec(
                        "p" + j,
                        "",
                        enumerated ? "string" : type,
                        random.nextBoolean(),
                        enumerated ? List.of(NODES.textNode("daily"), NODES.textNode("dairy")) : null,
                        null));
            }
            functions.add(new FunctionSpec("f" + i, "", List.of(), parameters));
        }
        pool = new FunctionPool(functions);
    }

    /** An answer that acts: one to three calls. */
    List<FunctionCall> calls() {
        List<FunctionSpec> functions = new ArrayList<>(pool.functions());
        List<FunctionCall> calls = new ArrayList<>();
        for (int i = 1 + random.nextInt(MAX_CALLS); i > 0; i--) {
            calls.add(call(functions.get(random.nextInt(functions.size()))));
        }
        return calls;
    }

    private FunctionCall call(FunctionSpec function) {
        Map<String, JsonNode> parameters = new LinkedHashMap<>();
        for (ParameterSpec parameter : function.parameters()) {
            if (parameter.required() || random.nextBoolean()) {
                parameters.put(parameter.name(), value(parameter));
            }
        }
        return new FunctionCall(function.name(), parameters);
    }

    private JsonNode value(ParameterSpec parameter) {
        if (parameter.enumeration() != null) {
            return parameter.enumeration().get(random.nextInt(2));
        }
        return switch (parameter.type()) {
            case "int" -> NODES.numberNode(random.nextInt(100));
            case "bool" -> NODES.booleanNode(random.nextBoolean());
            case "list" -> {
                ArrayNode list = NODES.arrayNode();
                for (int i = 1 + random.nextInt(2); i > 0; i--) {
                    list.add(word());
                }
                yield list;
            }
            case "dict" -> NODES.objectNode().put("a", word()).put("n", random.nextInt(9));
            default -> NODES.textNode(word());
        };
    }

    private String word() {
        return WORDS[random.nextInt(WORDS.length)];
    }

    /** Returns the same calls with another order of parameters and an absent one as null. */
    List<FunctionCall> rewritten(List<FunctionCall> calls) {
        return calls.stream()
                .map(call -> {
                    List<String> names = new ArrayList<>(call.parameters().keySet());
                    Collections.shuffle(names, random);
                    Map<String, JsonNode> parameters = new LinkedHashMap<>();
                    names.forEach(name -> parameters.put(
                            name, Objects.requireNonNull(call.parameters().get(name))));
                    parameters.put("absent", NODES.nullNode());
                    return new FunctionCall(call.name(), parameters);
                })
                .toList();
    }

    /** That many calls of functions that the answer does not call. */
    List<FunctionCall> foreign(List<FunctionCall> gold, int count) {
        List<String> used = gold.stream().map(FunctionCall::name).toList();
        List<FunctionSpec> others = pool.functions().stream()
                .filter(function -> !used.contains(function.name()))
                .toList();
        List<FunctionCall> calls = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            calls.add(call(others.get(random.nextInt(others.size()))));
        }
        return calls;
    }

    List<FunctionCall> with(List<FunctionCall> calls, List<FunctionCall> more) {
        List<FunctionCall> all = new ArrayList<>(calls);
        all.addAll(more);
        return all;
    }

    /** The answer with one thing wrong, and at least one function right. */
    List<FunctionCall> spoiled(List<FunctionCall> gold) {
        List<FunctionCall> calls = new ArrayList<>(gold);
        int at = random.nextInt(calls.size());
        boolean several = calls.size() > 1;
        switch (random.nextInt(several ? 5 : 3)) {
            case 0 -> calls.set(at, otherValue(calls.get(at)));
            case 1 -> calls.set(at, parameterMore(calls.get(at)));
            case 2 -> calls.set(at, parameterLess(calls.get(at)));
            case 3 -> calls.remove(at);
            default -> calls.set(at, foreign(gold, 1).get(0));
        }
        return calls;
    }

    private FunctionCall parameterMore(FunctionCall call) {
        Map<String, JsonNode> parameters = new LinkedHashMap<>(call.parameters());
        parameters.put("made_up", NODES.textNode("x"));
        return new FunctionCall(call.name(), parameters);
    }

    private FunctionCall parameterLess(FunctionCall call) {
        if (call.parameters().isEmpty()) {
            return parameterMore(call);
        }
        Map<String, JsonNode> parameters = new LinkedHashMap<>(call.parameters());
        parameters.remove(List.copyOf(parameters.keySet()).get(random.nextInt(parameters.size())));
        return new FunctionCall(call.name(), parameters);
    }

    private FunctionCall otherValue(FunctionCall call) {
        if (call.parameters().isEmpty()) {
            return parameterMore(call);
        }
        Map<String, JsonNode> parameters = new LinkedHashMap<>(call.parameters());
        String name = List.copyOf(parameters.keySet()).get(random.nextInt(parameters.size()));
        parameters.compute(name, (key, value) -> other(Objects.requireNonNull(value)));
        return new FunctionCall(call.name(), parameters);
    }

    private JsonNode other(JsonNode value) {
        if (value.isTextual()) {
            return NODES.textNode(value.textValue().equals("daily") ? "dairy" : value.textValue() + "x");
        } else if (value.isInt()) {
            return NODES.numberNode(value.intValue() + 1 + random.nextInt(50));
        } else if (value.isBoolean()) {
            return NODES.booleanNode(!value.booleanValue());
        } else if (value.isArray()) {
            return ((ArrayNode) value.deepCopy()).add("more");
        }
        return ((ObjectNode) value.deepCopy()).put("n", 77);
    }

    boolean silent() {
        return random.nextBoolean();
    }

    String damaged(String text) {
        return responses.damaged(text);
    }
}
