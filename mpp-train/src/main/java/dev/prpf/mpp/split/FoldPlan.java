package dev.prpf.mpp.split;

import dev.prpf.base.config.Rule;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.data.Sample;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The fold of each sample. A fold's perceiver is trained on all other folds, so it has not seen the fold's samples. Samples with equal
 * context and trajectory share a fold.
 */
public final class FoldPlan {
    private final List<Entry> entries;
    private final Map<String, Integer> foldOfContent = new HashMap<>();
    private final int folds;

    /** A sample's id, {@link SplitRecord#contentOf content} and fold, from 0, which is also the index of its perceiver. */
    public record Entry(String id, String content, int fold) {
        public Entry {
            Objects.requireNonNull(id, "id is null");
            Objects.requireNonNull(content, "content is null");
            Rule.require(fold >= 0, "fold", fold, "at least 0");
        }
    }

    /** Restores a plan that was drawn before. */
    public FoldPlan(List<Entry> entries) {
        this.entries = List.copyOf(entries);
        entries.forEach(entry -> foldOfContent.put(entry.content(), entry.fold()));
        folds = entries.stream().mapToInt(Entry::fold).max().orElse(-1) + 1;
    }

    /**
     * Draws at least 2 folds of labelled samples, balanced by class and modality.
     *
     * @throws PrpfException 65 if there are fewer different samples than folds
     */
    public static FoldPlan of(List<Sample> samples, int folds, long seed) {
        return of(samples, samples.stream().map(SplitRecord::contentOf).toList(), folds, seed);
    }

    /**
     * Draws folds like {@link #of(List, int, long)}; samples with equal keys share a fold.
     *
     * @param keys one for each sample, equal for samples with equal context and trajectory
     */
    public static FoldPlan of(List<Sample> samples, List<String> keys, int folds, long seed) {
        Rule.require(folds >= 2, "folds", folds, "at least 2");
        Map<String, String> stratumOf = new LinkedHashMap<>();
        for (int i = 0; i < keys.size(); i++) {
            Sample sample = samples.get(i);
            stratumOf.putIfAbsent(keys.get(i), sample.wantsIntervention() + " " + sample.modality());
        }
        if (stratumOf.size() < folds) {
            throw new InvalidDataException("folds = " + folds + ", but only " + stratumOf.size()
                    + " of the samples differ in context or trajectory; give more data or fewer folds");
        }
        Map<String, List<String>> strata = stratumOf.keySet().stream()
                .collect(Collectors.groupingBy(stratumOf::get, TreeMap::new, Collectors.toCollection(ArrayList::new)));
        Random random = new Random(seed);
        Map<String, Integer> drawn = new HashMap<>();
        for (List<String> stratum : strata.values()) {
            Collections.shuffle(stratum, random);
            stratum.forEach(key -> drawn.put(key, drawn.size() % folds));
        }
        return new FoldPlan(IntStream.range(0, keys.size())
                .mapToObj(i -> {
                    Sample sample = samples.get(i);
                    String content = SplitRecord.contentOf(sample);
                    return new Entry(sample.id(), content, drawn.getOrDefault(keys.get(i), 0));
                })
                .toList());
    }

    /** Entries of all samples, in the data's order. */
    public List<Entry> entries() {
        return entries;
    }

    public int folds() {
        return folds;
    }

    /** @throws PrpfException 65 if the plan has no sample of this context and trajectory */
    public int foldOf(Sample sample) {
        Integer fold = foldOfContent.get(SplitRecord.contentOf(sample));
        if (fold == null) {
            throw new InvalidDataException("sample " + sample.id()
                    + " is not in the data of the folds' perceivers, so it has no fold; train"
                    + " the folds on these data, or give a perceiver of other data");
        }
        return fold;
    }
}
