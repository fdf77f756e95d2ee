package dev.prpf.eval.score;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.Sample;
import dev.prpf.par.cascade.Prediction;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Gold samples and predictions, one to one by id; everything that does not fit is said at once. */
public final class Pairing {
    private static final int NAMED = 20;

    private Pairing() {}

    /**
     * The predictions by id.
     *
     * @param gold labelled samples
     * @param goldSource where they came from, for the message
     * @param predictions exactly one a sample
     * @param predictionSource where they came from, for the message
     * @throws PrpfException with BAD_DATA on no samples at all, unlabelled samples, ids that stand twice, samples without prediction,
     *     and predictions without sample
     */
    public static Map<String, Prediction> of(
            List<Sample> gold, String goldSource, List<Prediction> predictions, String predictionSource) {
        if (gold.isEmpty()) {
            throw new InvalidDataException(
                    goldSource + ": holds no samples, so there is nothing to score; at least one is needed");
        }
        List<String> problems = new ArrayList<>();
        Set<String> goldIds = distinct(gold.stream().map(Sample::id).toList(), "sample id", problems);
        Set<String> predictedIds =
                distinct(predictions.stream().map(Prediction::id).toList(), "predicted id", problems);
        note(unlabelled(gold), "sample without answers (unlabelled: it cannot be scored)", problems);
        note(minus(goldIds, predictedIds), "sample without prediction", problems);
        note(minus(predictedIds, goldIds), "prediction whose id no sample has", problems);
        if (!problems.isEmpty()) {
            throw new InvalidDataException(
                    "cannot score predictions " + predictionSource + " against gold " + goldSource
                            + ": " + String.join("; ", problems)
                            + ". The rule is one prediction for each labelled sample; predict the same file that is"
                            + " scored");
        }
        Map<String, Prediction> byId = new LinkedHashMap<>();
        predictions.forEach(prediction -> byId.put(prediction.id(), prediction));
        return byId;
    }

    private static Set<String> distinct(List<String> ids, String what, List<String> problems) {
        Set<String> seen = new LinkedHashSet<>();
        Set<String> twice = new LinkedHashSet<>();
        ids.forEach(id -> {
            if (!seen.add(id)) {
                twice.add(id);
            }
        });
        note(twice, what + " that stands more than once", problems);
        return seen;
    }

    private static List<String> unlabelled(List<Sample> gold) {
        return gold.stream()
                .filter(sample -> !sample.labelled())
                .map(Sample::id)
                .toList();
    }

    private static List<String> minus(Set<String> from, Set<String> without) {
        return from.stream().filter(id -> !without.contains(id)).toList();
    }

    private static void note(Collection<String> ids, String what, List<String> problems) {
        if (!ids.isEmpty()) {
            String named = ids.stream().limit(NAMED).collect(Collectors.joining(", "));
            String more = ids.size() > NAMED ? " and " + (ids.size() - NAMED) + " more" : "";
            problems.add(ids.size() + " x " + what + ": " + named + more);
        }
    }
}
