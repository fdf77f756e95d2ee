package dev.prpf.mpp;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.RecordLines;
import dev.prpf.data.Sample;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * Which of several perceivers did not see a sample: one is trained for each fold, on all others. Samples of equal context and trajectory are
 * of one fold, whatever their ids and answers. Kept in the directory above the perceivers' runs as {@code folds.jsonl}.
 */
public final class FoldPlan {
    private static final String FILE = "folds.jsonl";
    private static final RecordLines<Entry> LINES = new RecordLines<>(Entry.class, "fold entry");

    private final List<Entry> entries;
    private final Map<String, Integer> foldOfContent = new HashMap<>();
    private final int folds;

    /**
     * One sample.
     *
     * @param id the sample's
     * @param content SHA-256 of context and trajectory (see {@link SplitRecord.Entry})
     * @param fold from 0; whose perceiver did not see it
     */
    record Entry(String id, String content, int fold) {
        Entry {
            if (fold < 0) {
                throw new IllegalArgumentException("fold = " + fold + " must be at least 0");
            }
        }
    }

    private FoldPlan(List<Entry> entries) {
        this.entries = List.copyOf(entries);
        entries.forEach(entry -> foldOfContent.put(entry.content(), entry.fold()));
        folds = entries.stream().mapToInt(Entry::fold).max().orElse(-1) + 1;
    }

    /**
     * Deals samples out, those that act and those that are silent, text and screens each, evenly.
     *
     * @param samples labelled
     * @param folds at least 2
     * @throws PrpfException 65 if there are fewer different samples than folds
     */
    public static FoldPlan of(List<Sample> samples, int folds, long seed) {
        if (folds < 2) {
            throw new IllegalArgumentException("folds = " + folds + " must be at least 2");
        }
        Map<String, String> stratumOf = new LinkedHashMap<>();
        for (Sample sample : samples) {
            stratumOf.putIfAbsent(
                    SplitRecord.Entry.contentOf(sample), sample.wantsIntervention() + " " + sample.modality());
        }
        if (stratumOf.size() < folds) {
            throw new InvalidDataException("folds = " + folds + ", but only " + stratumOf.size()
                    + " of the samples differ in context or trajectory; give more data or fewer folds");
        }
        Map<String, List<String>> strata = new TreeMap<>();
        stratumOf.forEach((content, stratum) ->
                strata.computeIfAbsent(stratum, key -> new ArrayList<>()).add(content));
        Random random = new Random(seed);
        Map<String, Integer> dealt = new HashMap<>();
        for (List<String> stratum : strata.values()) {
            Collections.shuffle(stratum, random);
            stratum.forEach(content -> dealt.put(content, dealt.size() % folds));
        }
        List<Entry> entries = new ArrayList<>();
        for (Sample sample : samples) {
            String content = SplitRecord.Entry.contentOf(sample);
            entries.add(new Entry(sample.id(), content, dealt.getOrDefault(content, 0)));
        }
        return new FoldPlan(entries);
    }

    /** How many there are. */
    public int folds() {
        return folds;
    }

    /** Where the run of the perceiver that did not see a fold stands, below a plan's directory. */
    public static Path run(Path directory, int fold) {
        return directory.resolve("fold_" + fold);
    }

    /**
     * The fold of a sample, by its context and trajectory.
     *
     * @throws PrpfException 65 if the plan has no such sample
     */
    public int foldOf(Sample sample) {
        Integer fold = foldOfContent.get(SplitRecord.Entry.contentOf(sample));
        if (fold == null) {
            throw new InvalidDataException("sample " + sample.id()
                    + " is none of those that the folds' perceivers were trained on, so none of them is its own; train"
                    + " the folds on these data, or give a perceiver of other data");
        }
        return fold;
    }

    /** Keeps the plan in a directory. */
    public void save(Path directory) {
        LINES.write(directory.resolve(FILE), entries);
    }

    /** Whether a directory holds perceivers of folds. */
    public static boolean isPlanned(Path directory) {
        return Files.isRegularFile(directory.resolve(FILE));
    }

    /** @throws PrpfException 65, naming file and line, if the file is damaged */
    public static FoldPlan load(Path directory) {
        List<Entry> entries = new ArrayList<>();
        LINES.read(directory.resolve(FILE), (place, entry) -> entries.add(entry));
        return new FoldPlan(entries);
    }

    /**
     * SHA-256 over the plan and all its perceivers.
     *
     * @throws PrpfException 69 if one is not trained
     */
    static String sha256(Path directory) {
        StringBuilder sums = new StringBuilder(AtomicFiles.sha256(directory.resolve(FILE)));
        for (int fold = 0; fold < load(directory).folds(); fold++) {
            sums.append('\n').append(MppModel.sha256(run(directory, fold)));
        }
        return AtomicFiles.sha256(sums.toString().getBytes(StandardCharsets.UTF_8));
    }
}
