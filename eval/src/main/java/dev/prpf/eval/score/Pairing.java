package dev.prpf.eval.score;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.data.Sample;
import dev.prpf.par.cascade.Prediction;
import java.io.Serializable;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

/** Pairs gold samples and predictions one to one by id; one message names all misfits. */
public final class Pairing {
    private static final int NAMED = 20;

    private Pairing() {}

    /** The reasons why ids fail to pair, in the order of messages. */
    private enum Misfit {
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

    /** The properties of a gold sample that decide whether it pairs. */
    public record Gold(String id, boolean labelled) implements Serializable {
        public static Gold of(Sample sample) {
            return new Gold(sample.id(), sample.labelled());
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
        List<String> ids = predictions.stream().map(Prediction::id).toList();
        require(gold.stream().map(Gold::of).iterator(), goldSource, ids, predictionSource);
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
            Iterator<Gold> gold, String goldSource, Collection<String> predicted, String predictionSource) {
        Map<Misfit, Set<String>> misfits = new EnumMap<>(Misfit.class);
        BiConsumer<Misfit, String> note = (misfit, id) ->
                misfits.computeIfAbsent(misfit, first -> new LinkedHashSet<>()).add(id);
        Set<String> known = predicted instanceof Set<String> set ? set : distinct(predicted, note);
        Set<String> ids = new HashSet<>();
        gold.forEachRemaining(sample -> {
            if (!ids.add(sample.id())) {
                note.accept(Misfit.TWICE, sample.id());
            } else if (!known.contains(sample.id())) {
                note.accept(Misfit.WITHOUT_PREDICTION, sample.id());
            }
            if (!sample.labelled()) {
                note.accept(Misfit.UNLABELLED, sample.id());
            }
        });
        if (ids.isEmpty()) {
            throw new InvalidDataException(
                    goldSource + ": holds no samples, so there is nothing to score; at least one is needed");
        }
        known.stream().filter(id -> !ids.contains(id)).forEach(id -> note.accept(Misfit.WITHOUT_SAMPLE, id));
        if (!misfits.isEmpty()) {
            throw new InvalidDataException("cannot score predictions " + predictionSource + " against gold "
                    + goldSource + ": "
                    + misfits.entrySet().stream()
                            .map(entry -> described(entry.getKey(), entry.getValue()))
                            .collect(Collectors.joining("; "))
                    + ". The rule is one prediction for each labelled sample; predict the same file that is scored");
        }
    }

    private static Set<String> distinct(Collection<String> ids, BiConsumer<Misfit, String> note) {
        Set<String> distinct = new LinkedHashSet<>();
        ids.stream().filter(id -> !distinct.add(id)).forEach(id -> note.accept(Misfit.PREDICTED_TWICE, id));
        return distinct;
    }

    private static String described(Misfit misfit, Set<String> ids) {
        String more = ids.size() > NAMED ? " and " + (ids.size() - NAMED) + " more" : "";
        return ids.size() + " x " + misfit.words + ": "
                + ids.stream().limit(NAMED).collect(Collectors.joining(", ")) + more;
    }
}
