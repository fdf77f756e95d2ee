package dev.prpf.mpp.split;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.data.Modality;
import dev.prpf.data.Sample;
import dev.prpf.data.TraceStep;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What each sample of a run's data was used for, in file order. */
public record SplitRecord(List<Entry> entries) {
    private static final int NAMED = 5;
    private static final String ID = "id "; // before an id, where ids and contents are in one set

    public SplitRecord {
        entries = List.copyOf(entries);
    }

    /** A sample's id, {@link #contentOf content} and what it was used for. */
    public record Entry(String id, String content, Split split) {
        public Entry {
            Objects.requireNonNull(id, "id is null");
            Objects.requireNonNull(content, "content is null");
            Objects.requireNonNull(split, "split is null");
        }
    }

    /** What each of some samples is used for. */
    public static SplitRecord of(List<Sample> samples, List<Split> splits) {
        return new SplitRecord(IntStream.range(0, samples.size())
                .mapToObj(i -> new Entry(samples.get(i).id(), contentOf(samples.get(i)), splits.get(i)))
                .toList());
    }

    /** SHA-256 of context and trajectory, images by their path: samples of equal content are one sample to a perceiver. */
    static String contentOf(Sample sample) {
        List<String> parts = new ArrayList<>(sample.context().texts());
        String told = sample.modality() == Modality.TEXT ? "" : "text ";
        for (TraceStep step : sample.trajectory().steps()) {
            String kind = step instanceof TraceStep.Caption ? told : "picture ";
            parts.add(kind + step.text(TraceStep.Screenshot::path));
        }
        return AtomicFiles.sha256(JsonRecords.write(parts).getBytes(StandardCharsets.UTF_8));
    }

    /** Whether a split has samples. */
    public boolean has(Split split) {
        return entries.stream().anyMatch(entry -> entry.split() == split);
    }

    /** Makes sure, before anything is trained, that risk may be controlled on the calibration samples; throws as {@link #requireUnseen}. */
    public void requireUnseenCalibration() {
        requireUnseen(calibration().map(Entry::id).toList());
    }

    private Stream<Entry> calibration() {
        return entries.stream().filter(entry -> entry.split() == Split.CALIBRATION);
    }

    /**
     * Makes sure that risk may be controlled on samples: each stands in this record as a calibration sample, and no training or dev
     * sample has its id or its content.
     *
     * @throws PrpfException 65 naming the first samples of which that is not so
     */
    public void requireUnseen(List<String> calibration) {
        Map<String, String> contents = calibration().collect(Collectors.toMap(Entry::id, Entry::content, (a, b) -> b));
        Set<String> seen = entries.stream()
                .filter(entry -> entry.split() != Split.CALIBRATION)
                .flatMap(entry -> Stream.of(ID + entry.id(), entry.content()))
                .collect(Collectors.toSet());
        List<String> offending = calibration.stream()
                .filter(id -> !contents.containsKey(id) || seen.contains(ID + id) || seen.contains(contents.get(id)))
                .toList();
        if (!offending.isEmpty()) {
            throw new InvalidDataException(offending.size() + " of " + calibration.size()
                    + " calibration samples are not unseen: training or dev has their id or their content, or they are"
                    + " not of this run's calibration split; the first are " + first(offending)
                    + ". A bound on them would be false; remove the duplicates from the data and train again");
        }
    }

    private static List<String> first(List<String> ids) {
        return ids.subList(0, Math.min(NAMED, ids.size()));
    }

    /**
     * Makes sure that metrics over test samples are over samples that nothing was fitted or chosen on.
     *
     * @param data of training, stopping and calibration
     * @param test for the final metrics
     * @param sameImages whether an image's path means the same file in both; if not, screen samples are compared by their ids alone
     * @throws PrpfException 65 naming the first test samples whose id or content stands in the data
     */
    public static void requireUnseenTest(List<Sample> data, List<Sample> test, boolean sameImages) {
        Set<String> known = data.stream()
                .flatMap(sample -> Stream.of(ID + sample.id(), contentOf(sample)))
                .collect(Collectors.toSet());
        List<String> seen = test.stream()
                .filter(sample -> known.contains(ID + sample.id())
                        || ((sameImages || sample.modality() == Modality.TEXT) && known.contains(contentOf(sample))))
                .map(Sample::id)
                .toList();
        if (!seen.isEmpty()) {
            throw new InvalidDataException(seen.size() + " of " + test.size()
                    + " test samples have the id or the content of a sample in --data, the first are " + first(seen)
                    + ": metrics over them would be of samples the perceiver was fitted on; take them out of"
                    + " --test or of --data");
        }
    }
}
