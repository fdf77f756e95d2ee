package dev.prpf.par.cascade;

import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.encode.EncodingCost;
import dev.prpf.mpp.CandidatePool;
import dev.prpf.mpp.Perceiver;
import dev.prpf.mpp.Perceiver.PerceptionCost;
import dev.prpf.mpp.Perception;
import dev.prpf.par.response.ParResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Takes a reasoner's response to the whole pool as the perception. Probabilities are 1 for a response that acts and for its scenarios, else
 * 0.
 */
record WordsReading(Reasoner reasoner, FunctionPool pool, ScenarioCatalog catalog)
        implements ReasonerPerceiver.Reading {
    /** Index in {@link PredictionCost.Parts#values()}, followed by the decoding. */
    private static final int PREFILL = 3;

    @Override
    public List<Perceiver.Costed> read(List<Sample> samples) {
        CandidatePool whole = CandidatePool.whole(pool);
        List<Reasoner.Reasoning> reasonings = reasoner.reason(
                samples.stream()
                        .map(sample -> new Reasoner.Request(sample, null, whole))
                        .toList(),
                () -> {});
        List<Perceiver.Costed> perceived = new ArrayList<>();
        for (int i = 0; i < samples.size(); i++) {
            perceived.add(perceived(samples.get(i), reasonings.get(i)));
        }
        return perceived;
    }

    private Perceiver.Costed perceived(Sample sample, Reasoner.Reasoning reasoning) {
        PerceptionCost cost = cost(reasoning.cost());
        if (reasoning.response() instanceof ParResponse.Malformed malformed) {
            return ReasonerPerceiver.unusable(sample, malformed.why(), catalog, cost);
        }
        return new Perceiver.Costed(perception(((ParResponse.Parsed) reasoning.response()).calls()), cost);
    }

    private Perception perception(List<FunctionCall> calls) {
        Set<String> scenarios = calls.stream()
                .flatMap(call -> Stream.ofNullable(catalog.scenarioOf(call.name())))
                .collect(Collectors.toSet());
        return ReasonerPerceiver.perception(
                calls.isEmpty() ? 0 : 1, catalog, scenario -> scenarios.contains(scenario) ? 1.0 : 0.0);
    }

    /** Converts the cost; null if the server does not report it. */
    private static @Nullable PerceptionCost cost(PredictionCost cost) {
        List<@Nullable Double> flops = cost.flops().values();
        List<@Nullable Double> seconds = cost.seconds().values();
        if (flops.contains(null) || seconds.contains(null)) {
            return null;
        }
        double[] operations = flops.stream().mapToDouble(Double::doubleValue).toArray();
        double[] times = seconds.stream().mapToDouble(Double::doubleValue).toArray();
        return new PerceptionCost(
                new EncodingCost(operations[0], times[0], operations[1], times[1]),
                operations[PREFILL] + operations[PREFILL + 1],
                times[PREFILL] + times[PREFILL + 1]);
    }
}
