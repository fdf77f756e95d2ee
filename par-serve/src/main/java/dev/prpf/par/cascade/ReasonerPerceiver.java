package dev.prpf.par.cascade;

import dev.prpf.base.config.EnumName;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.encode.EncodingCost;
import dev.prpf.mpp.CandidatePool;
import dev.prpf.mpp.Perceiver;
import dev.prpf.mpp.Perceiver.PerceptionCost;
import dev.prpf.mpp.Perception;
import dev.prpf.par.prompt.ScreenTexts;
import dev.prpf.par.response.ParResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A language model as perceiver (PRPF Table 3, third group). The cost of its passes is the perceptions' fusion cost; reading screenshots for its
 * prompts is their encoding cost.
 *
 * @param id with the reading and the model
 * @param model that perceives, closed with this
 */
public record ReasonerPerceiver(String id, Reasoner model, Reading reading) implements Perceiver {
    private static final Logger LOG = LoggerFactory.getLogger(ReasonerPerceiver.class);

    /** Makes perceptions of samples with a model. */
    interface Reading {
        /** Perceives samples, in order; reports a fault for a malformed response or a prompt that the model cannot take. */
        List<Costed> read(List<Sample> samples);
    }

    /**
     * Settings of a model that perceives in this process.
     *
     * @param reads method of reading its output
     * @param decoding most new tokens, batch size and precision
     */
    public record Settings(PerceiverReading reads, LocalReasoner.Settings decoding) {}

    /**
     * Loads a trained model.
     *
     * @param directory with prpf.json
     * @throws PrpfException as {@link LocalReasoner#open}
     */
    public static ReasonerPerceiver open(
            Path directory, FunctionPool pool, ScenarioCatalog catalog, ScreenTexts screens, Settings settings) {
        LocalReasoner model = LocalReasoner.open(directory, catalog, screens, settings.decoding());
        return switch (settings.reads()) {
            case WORDS -> ofWords(model, pool, catalog);
            case LOG_ODDS ->
                new ReasonerPerceiver(id(PerceiverReading.LOG_ODDS, model), model, new LogOddsReading(model, catalog));
        };
    }

    /** Creates a perceiver of any reasoner, local or on a server, from its responses with the whole pool in the prompt. */
    public static ReasonerPerceiver ofWords(Reasoner model, FunctionPool pool, ScenarioCatalog catalog) {
        return new ReasonerPerceiver(id(PerceiverReading.WORDS, model), model, new WordsReading(model, pool, catalog));
    }

    private static String id(PerceiverReading reading, Reasoner model) {
        return EnumName.of(reading) + ":" + model.id();
    }

    @Override
    public List<Perception> perceive(List<Sample> samples) {
        return perceiveCosted(samples).stream().map(Costed::perception).toList();
    }

    @Override
    public List<Costed> perceiveCosted(List<Sample> samples) {
        return reading.read(samples);
    }

    /** Creates a perception with probabilities of every scenario. */
    static Perception perception(double trigger, ScenarioCatalog catalog, Function<String, Double> scenario) {
        Map<String, Double> scenarios = catalog.names().stream()
                .collect(Collectors.toMap(Function.identity(), scenario, (a, b) -> a, LinkedHashMap::new));
        return new Perception(trigger, scenarios);
    }

    static Costed unusable(Sample sample, String why, ScenarioCatalog catalog, @Nullable PerceptionCost cost) {
        LOG.warn("sample {}: the perceiver's answer is malformed: {}", sample.id(), why);
        return new Costed(perception(0, catalog, scenario -> 0.0), cost, why);
    }

    @Override
    public void close() {
        model.close();
    }

    /** The method by which a {@link ReasonerPerceiver} reads p_trigger and p_scenario from a language model. */
    public enum PerceiverReading {
        /** From the log-odds of yes and no as next tokens, one question each. */
        LOG_ODDS,
        /** From the generated response: 1 for an action and for the scenarios of its functions, else 0. */
        WORDS
    }

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
            double[] operations =
                    flops.stream().mapToDouble(Double::doubleValue).toArray();
            double[] times = seconds.stream().mapToDouble(Double::doubleValue).toArray();
            return new PerceptionCost(
                    new EncodingCost(operations[0], times[0], operations[1], times[1]),
                    operations[PREFILL] + operations[PREFILL + 1],
                    times[PREFILL] + times[PREFILL + 1]);
        }
    }
}
