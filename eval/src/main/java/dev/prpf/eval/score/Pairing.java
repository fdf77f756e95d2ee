package dev.prpf.eval.score;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.Sample;
import dev.prpf.par.cascade.Prediction;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Pairs gold samples and predictions one to one by id; one message names everything that does not fit. */
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
     * @throws PrpfException 65 on no samples at all, unlabelled samples, ids that stand twice, samples without prediction, and predictions
     *     without sample
     */
    public static Map<String, Prediction> of(
            List<Sample> gold, String goldSource, List<Prediction> predictions, String predictionSource) {
        Map<String, Prediction> byId = new LinkedHashMap<>();
        predictions.forEach(prediction -> byId.put(prediction.id(), prediction));
        List<String> problems = new ArrayList<>();
        note(
                "predicted id that stands more than once",
                twice(predictions.stream().map(Prediction::id)),
                problems);
        require(gold.iterator(), goldSource, byId.keySet(), predictionSource, problems);
        return byId;
    }

    /**
     * Makes sure that samples and predictions pair; memory holds the ids.
     *
     * @param gold labelled samples
     * @param goldSource where they came from, for the message
     * @param predicted the predictions' ids
     * @param predictionSource where they came from, for the message
     * @throws PrpfException 65 as {@link #of}
     */
    public static void require(
            Iterator<Sample> gold, String goldSource, Set<String> predicted, String predictionSource) {
        require(gold, goldSource, predicted, predictionSource, new ArrayList<>());
    }

    private static void require(
            Iterator<Sample> gold,
            String goldSource,
            Set<String> predicted,
            String predictionSource,
            List<String> problems) {
        Set<String> ids = new HashSet<>();
        Set<String> twice = new LinkedHashSet<>();
        List<String> unlabelled = new ArrayList<>();
        List<String> missing = new ArrayList<>();
        while (gold.hasNext()) {
            Sample sample = gold.next();
            if (!ids.add(sample.id())) {
                twice.add(sample.id());
            } else if (!predicted.contains(sample.id())) {
                missing.add(sample.id());
            }
            if (!sample.labelled()) {
                unlabelled.add(sample.id());
            }
        }
        if (ids.isEmpty()) {
            throw new InvalidDataException(
                    goldSource + ": holds no samples, so there is nothing to score; at least one is needed");
        }
        note("sample id that stands more than once", twice, problems);
        note("sample without answers (unlabelled: it cannot be scored)", unlabelled, problems);
        note("sample without prediction", missing, problems);
        List<String> others = predicted.stream().filter(id -> !ids.contains(id)).toList();
        note("prediction whose id no sample has", others, problems);
        if (!problems.isEmpty()) {
            throw new InvalidDataException("cannot score predictions " + predictionSource + " against gold "
                    + goldSource + ": " + String.join("; ", problems)
                    + ". The rule is one prediction for each labelled sample; predict the same file that is scored");
        }
    }

    private static Set<String> twice(Stream<String> ids) {
        Set<String> seen = new LinkedHashSet<>();
        return ids.filter(id -> !seen.add(id)).collect(Collectors.toCollection(LinkedHashSet::new));
    }

    private static void note(String what, Collection<String> ids, List<String> problems) {
        if (!ids.isEmpty()) {
            String named = ids.stream().limit(NAMED).collect(Collectors.joining(", "));
            String more = ids.size() > NAMED ? " and " + (ids.size() - NAMED) + " more" : "";
            problems.add(ids.size() + " x " + what + ": " + named + more);
        }
    }
}
