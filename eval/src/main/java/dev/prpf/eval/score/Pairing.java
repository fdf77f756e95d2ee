package dev.prpf.eval.score;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.Sample;
import dev.prpf.par.cascade.Prediction;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Pairs gold samples and predictions one to one by id; one message names all misfits. */
public final class Pairing {
    private static final int NAMED = 20;

    private Pairing() {}

    /** The reasons why ids fail to pair, in the order of messages. */
    public enum Misfit {
        PREDICTED_TWICE("duplicate predicted id"),
        TWICE("duplicate sample id"),
        UNLABELLED("sample without answers (unlabelled: it cannot be scored)"),
        WITHOUT_PREDICTION("sample without prediction"),
        WITHOUT_SAMPLE("prediction without sample");

        private final String words;

        Misfit(String words) {
            this.words = words;
        }
    }

    /**
     * The ids that do not pair.
     *
     * @param count number of ids
     * @param first the first ids, of which a message names {@value #NAMED}
     */
    public record Ids(long count, List<String> first) {}

    /**
     * Rejects ids that do not pair.
     *
     * @param ids ids by misfit, which may be absent
     * @throws PrpfException 65, naming all misfits, if there is one
     */
    public static void requireNone(Map<Misfit, Ids> ids, String goldSource, String predictionSource) {
        String problems = ids.entrySet().stream()
                .filter(entry -> entry.getValue().count() > 0)
                .sorted(Map.Entry.comparingByKey())
                .map(entry -> described(entry.getKey(), entry.getValue()))
                .collect(Collectors.joining("; "));
        if (!problems.isEmpty()) {
            throw new InvalidDataException("cannot score predictions " + predictionSource + " against gold "
                    + goldSource + ": " + problems
                    + ". The rule is one prediction for each labelled sample; predict the same file that is scored");
        }
    }

    private static String described(Misfit misfit, Ids ids) {
        String named = ids.first().stream().limit(NAMED).collect(Collectors.joining(", "));
        String more = ids.count() > NAMED ? " and " + (ids.count() - NAMED) + " more" : "";
        return ids.count() + " x " + misfit.words + ": " + named + more;
    }

    /** @throws PrpfException 65 without samples */
    public static void requireSome(long samples, String goldSource) {
        if (samples == 0) {
            throw new InvalidDataException(
                    goldSource + ": holds no samples, so there is nothing to score; at least one is needed");
        }
    }

    /**
     * Returns the predictions by id after checking that they pair.
     *
     * @param gold labelled samples
     * @param goldSource the samples' source for messages
     * @param predictions exactly one per sample
     * @param predictionSource the predictions' source for messages
     * @throws PrpfException 65 for no samples, unlabelled samples, duplicate ids, samples without prediction, and predictions
     *     without sample
     */
    public static Map<String, Prediction> of(
            List<Sample> gold, String goldSource, List<Prediction> predictions, String predictionSource) {
        Map<String, Prediction> byId = new LinkedHashMap<>();
        predictions.forEach(prediction -> byId.put(prediction.id(), prediction));
        Map<Misfit, Ids> misfits = new EnumMap<>(Misfit.class);
        note(Misfit.PREDICTED_TWICE, twice(predictions.stream().map(Prediction::id)), misfits);
        require(gold.iterator(), goldSource, byId.keySet(), predictionSource, misfits);
        return byId;
    }

    /**
     * Checks that samples and predictions pair; memory holds the ids.
     *
     * @param gold labelled samples
     * @param goldSource the samples' source for messages
     * @param predicted the predictions' ids
     * @param predictionSource the predictions' source for messages
     * @throws PrpfException 65 as {@link #of}
     */
    public static void require(
            Iterator<Sample> gold, String goldSource, Set<String> predicted, String predictionSource) {
        require(gold, goldSource, predicted, predictionSource, new EnumMap<>(Misfit.class));
    }

    private static void require(
            Iterator<Sample> gold,
            String goldSource,
            Set<String> predicted,
            String predictionSource,
            Map<Misfit, Ids> misfits) {
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
        requireSome(ids.size(), goldSource);
        note(Misfit.TWICE, twice, misfits);
        note(Misfit.UNLABELLED, unlabelled, misfits);
        note(Misfit.WITHOUT_PREDICTION, missing, misfits);
        note(
                Misfit.WITHOUT_SAMPLE,
                predicted.stream().filter(id -> !ids.contains(id)).toList(),
                misfits);
        requireNone(misfits, goldSource, predictionSource);
    }

    private static Set<String> twice(Stream<String> ids) {
        Set<String> seen = new LinkedHashSet<>();
        return ids.filter(id -> !seen.add(id)).collect(Collectors.toCollection(LinkedHashSet::new));
    }

    private static void note(Misfit misfit, Collection<String> ids, Map<Misfit, Ids> misfits) {
        misfits.put(misfit, new Ids(ids.size(), ids.stream().limit(NAMED).toList()));
    }
}
