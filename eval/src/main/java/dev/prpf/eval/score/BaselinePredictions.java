package dev.prpf.eval.score;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.Sample;
import dev.prpf.eval.judge.Judge.ExactJudge;
import dev.prpf.eval.judge.NormalForm;
import dev.prpf.mpp.CandidatePool;
import dev.prpf.mpp.Perception;
import dev.prpf.mpp.ensemble.SparseVector;
import dev.prpf.mpp.ensemble.TfIdfGate;
import dev.prpf.par.cascade.Prediction;
import dev.prpf.par.cascade.Prediction.Route;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.stream.IntStream;

/** Baseline predictions without learning; a cascade must beat them all. */
public final class BaselinePredictions {
    private static final FunctionPool NO_POOL = new FunctionPool(List.of());

    private BaselinePredictions() {}

    /** Predicts silence on every sample; its Type-Acc is the share of samples with silence as a valid answer. */
    public static List<Prediction> alwaysSilent(List<Sample> gold) {
        return gold.stream()
                .map(sample -> new Prediction(sample.id(), Route.SILENT, null, Map.of(), null, List.of()))
                .toList();
    }

    /**
     * Predicts the call sequence with parameters that is valid for most training samples; ties go to the first. Sequences that
     * are equal for {@link ExactJudge} are counted together.
     *
     * @throws PrpfException 65 if no training sample has an answer with calls
     */
    public static List<Prediction> alwaysTrigger(List<Sample> train, List<Sample> gold) {
        List<FunctionCall> calls = mostFrequent(train);
        return gold.stream()
                .map(sample -> new Prediction(sample.id(), Route.REASONED, null, Map.of(), null, List.of(calls)))
                .toList();
    }

    private static List<FunctionCall> mostFrequent(List<Sample> train) {
        Map<List<NormalForm>, List<List<FunctionCall>>> seen = new LinkedHashMap<>(); // one a sample
        for (Sample sample : train) {
            Map<List<NormalForm>, List<FunctionCall>> ofThisSample = new LinkedHashMap<>();
            sample.validSequences()
                    .forEach(calls -> ofThisSample.putIfAbsent(ExactJudge.normalised(calls, NO_POOL), calls));
            ofThisSample.forEach((form, calls) ->
                    seen.computeIfAbsent(form, first -> new ArrayList<>()).add(calls));
        }
        seen.remove(List.of()); // silence
        return seen.values().stream()
                .max(Comparator.comparingInt(List::size)) // the first of equal ones
                .map(samples -> samples.get(0))
                .orElseThrow(
                        () -> new InvalidDataException("the always-trigger baseline needs a training sample with an "
                                + "answer that acts; none of the " + train.size() + " samples has one"));
    }

    /**
     * Predicts with the trained gate and a random function. If the gate triggers, one function from the sample's candidate pool
     * is called without parameters.
     *
     * @param gated the cascade's predictions; only their route and perception are used
     * @param candidates the reasoner's pool for a prediction's sample; an empty pool means silence
     * @param seed seed of the draws
     */
    public static List<Prediction> randomFunction(
            List<Prediction> gated, Function<Prediction, CandidatePool> candidates, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Prediction> predictions = new ArrayList<>();
        for (Prediction gate : gated) {
            List<List<FunctionCall>> calls =
                    gate.route() == Route.SILENT ? gate.calls() : draw(candidates.apply(gate), random);
            predictions.add(new Prediction(gate.id(), gate.route(), gate.pTrigger(), gate.scenarios(), null, calls));
        }
        return predictions;
    }

    private static List<List<FunctionCall>> draw(CandidatePool candidates, SplittableRandom random) {
        List<FunctionSpec> functions = candidates.functions();
        if (functions.isEmpty()) {
            return List.of();
        }
        FunctionSpec drawn = functions.get(random.nextInt(functions.size()));
        return List.of(List.of(new FunctionCall(drawn.name(), Map.of())));
    }

    /** Samples and their texts. */
    public record Texts(List<Sample> samples, List<String> texts) {}

    /**
     * Predicts with a gate of words. If the gate triggers, the calls are those of the most similar training sample by TF-IDF; ties go to the first.
     *
     * @param tau the gate's threshold
     * @param acting training samples with a target, at least one
     */
    public static List<Prediction> mostSimilar(TfIdfGate gate, double tau, Texts acting, Texts gold) {
        List<SparseVector> known =
                acting.texts.stream().map(gate.vectorizer()::transform).toList();
        List<Prediction> predictions = new ArrayList<>();
        for (int i = 0; i < gold.samples.size(); i++) {
            SparseVector row = gate.vectorizer().transform(gold.texts.get(i));
            double probability = gate.regression().predictProbability(row);
            boolean acts = Perception.triggers(probability, tau);
            Sample similar = acting.samples.get(IntStream.range(0, known.size())
                    .boxed()
                    .max(Comparator.comparingDouble((Integer k) -> known.get(k).dot(row))
                            .thenComparing(Comparator.reverseOrder()))
                    .orElseThrow());
            List<List<FunctionCall>> calls =
                    acts ? List.of(similar.validSequences().get(0)) : List.of();
            Route route = acts ? Route.REASONED : Route.SILENT;
            predictions.add(new Prediction(gold.samples.get(i).id(), route, probability, Map.of(), null, calls));
        }
        return predictions;
    }
}
