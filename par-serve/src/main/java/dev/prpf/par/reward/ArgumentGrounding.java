package dev.prpf.par.reward;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.FunctionSpec.ParameterSpec;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleBiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Computes the reward of a response's arguments, R_args (PRPF A.4): must-fill completeness and typed value similarity. The answer's k-th
 * call of a function is compared with the response's k-th call of it. A call that the response lacks counts 0. Null and blank values count
 * as not given.
 */
record ArgumentGrounding(FunctionPool pool) {
    /** Returns the mean over the answer's calls of the share of filled parameters, among the must-fill parameters that the answer fills. */
    double filled(List<FunctionCall> gold, List<FunctionCall> predicted) {
        return mean(gold, predicted, this::filled);
    }

    private double filled(FunctionCall gold, FunctionCall predicted) {
        return spec(gold).parameters().stream()
                .filter(ParameterSpec::required)
                .map(ParameterSpec::name)
                .filter(name -> isFilled(gold.parameters().get(name)))
                .mapToDouble(name -> isFilled(predicted.parameters().get(name)) ? 1 : 0)
                .average()
                .orElse(1);
    }

    /** Returns the mean over the answer's calls of the mean similarity of the given parameters; a parameter given on one side only counts 0. */
    double values(List<FunctionCall> gold, List<FunctionCall> predicted) {
        return mean(gold, predicted, this::values);
    }

    private double values(FunctionCall gold, FunctionCall predicted) {
        Map<String, ParameterSpec> specs = new HashMap<>();
        spec(gold).parameters().forEach(spec -> specs.put(spec.name(), spec));
        return ValueSimilarity.ofFields(predicted.parameters(), gold.parameters(), (name, ours, theirs) -> {
            ParameterSpec spec = specs.get(name);
            return spec == null
                    ? ValueSimilarity.of(ours, theirs, false, null)
                    : ValueSimilarity.of(ours, theirs, spec.enumeration() != null, spec.structure());
        });
    }

    /**
     * Returns the mean share over the answer's calls. Each is paired in order with the response's call of the same function; without a pair
     * it counts 0.
     */
    private static double mean(
            List<FunctionCall> gold,
            List<FunctionCall> predicted,
            ToDoubleBiFunction<FunctionCall, FunctionCall> share) {
        Map<String, Deque<FunctionCall>> byName = new HashMap<>();
        predicted.forEach(call ->
                byName.computeIfAbsent(call.name(), name -> new ArrayDeque<>()).add(call));
        List<Double> shares = new ArrayList<>();
        for (FunctionCall call : gold) {
            FunctionCall same =
                    byName.getOrDefault(call.name(), new ArrayDeque<>()).poll();
            shares.add(same == null ? 0 : share.applyAsDouble(call, same));
        }
        return shares.stream().mapToDouble(Double::doubleValue).average().orElse(0);
    }

    private FunctionSpec spec(FunctionCall gold) {
        FunctionSpec spec = pool.get(gold.name());
        if (spec == null) {
            throw new IllegalArgumentException("the answer calls " + gold.name() + ", which is not in the pool");
        }
        return spec;
    }

    private static boolean isFilled(@Nullable JsonNode value) {
        return ValueSimilarity.isGiven(value) && value != null && !(value.isContainerNode() && value.isEmpty());
    }
}
