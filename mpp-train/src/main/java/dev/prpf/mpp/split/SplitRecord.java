package dev.prpf.mpp.split;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.data.Sample;
import dev.prpf.data.Sample.Modality;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.mpp.split.SampleSplit.Split;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The split of each sample of a run's data, in file order. */
public record SplitRecord(List<Entry> entries) {
    private static final int NAMED = 5;
    private static final String ID = "id "; // prefix of ids in sets of ids and contents

    /** A sample's id, {@link #contentOf content} and split. */
    public record Entry(String id, String content, Split split) {
        public Entry {
            Objects.requireNonNull(id, "id is null");
            Objects.requireNonNull(content, "content is null");
            Objects.requireNonNull(split, "split is null");
        }
    }

    /** Makes the record of samples and their splits. */
    public static SplitRecord of(List<Sample> samples, List<Split> splits) {
        return new SplitRecord(IntStream.range(0, samples.size())
                .mapToObj(i -> new Entry(samples.get(i).id(), contentOf(samples.get(i)), splits.get(i)))
                .toList());
    }

    /** Returns the SHA-256 of context and trajectory, with images by path. Samples of equal content are equal to a perceiver. */
    public static String contentOf(Sample sample) {
        List<String> parts = new ArrayList<>(sample.context().texts());
        String textKind = sample.modality() == Modality.TEXT ? "" : "text ";
        for (TraceStep step : sample.trajectory().steps()) {
            String kind = step instanceof TraceStep.Caption ? textKind : "image ";
            parts.add(kind + step.text(TraceStep.Screenshot::path));
        }
        return AtomicFiles.sha256(JsonRecords.write(parts).getBytes(StandardCharsets.UTF_8));
    }

    public boolean has(Split split) {
        return entries.stream().anyMatch(entry -> entry.split() == split);
    }

    /** Checks before the training that risk can be controlled on the calibration samples; throws like {@link #requireUnseen}. */
    public void requireUnseenCalibration() {
        requireUnseen(calibration().map(Entry::id).toList());
    }

    private Stream<Entry> calibration() {
        return entries.stream().filter(entry -> entry.split() == Split.CALIBRATION);
    }

    /**
     * Checks that risk can be controlled on samples: each is a calibration sample here, and no training or dev sample has its id or content.
     *
     * @throws PrpfException 65, naming the first samples that violate this
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
                    + " calibration samples were seen: they share an id or content with training or dev, or are not of"
                    + " this run's calibration split; the first are " + first(offending)
                    + ". A bound on them would be false; remove the duplicates from the data and train again");
        }
    }

    private static List<String> first(List<String> ids) {
        return ids.subList(0, Math.min(NAMED, ids.size()));
    }

    /**
     * Checks that nothing was fitted or chosen on the test samples.
     *
     * @param data of training, stopping and calibration
     * @param test for the final metrics
     * @param sameImages whether an image path names the same file in both; if not, screenshot samples are compared only by id
     * @throws PrpfException 65, naming the first test samples with an id or content of the data
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
                    + "; the perceiver would be scored on samples it was fitted on; remove them from --test or of"
                    + " --data");
        }
    }
}
