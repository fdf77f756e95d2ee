package dev.prpf.mpp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UnavailableException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.data.Frame;
import dev.prpf.data.Sample;
import dev.prpf.data.ScreenTrajectory;
import dev.prpf.data.TextTrajectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What each sample of a run's data was used for, kept as {@code split.jsonl}.
 *
 * @param entries in file order
 */
public record SplitRecord(List<Entry> entries) {
    private static final String FILE = "split.jsonl";
    private static final int NAMED = 5;
    private static final ObjectMapper JSON = new ObjectMapper();

    public SplitRecord {
        entries = List.copyOf(entries);
    }

    /**
     * One sample.
     *
     * @param id the sample's
     * @param content SHA-256 of context and trajectory, pictures by their path
     * @param split what it was used for
     */
    public record Entry(String id, String content, Split split) {
        /** Of a sample. */
        public static Entry of(Sample sample, Split split) {
            return new Entry(sample.id(), contentOf(sample), split);
        }

        /** What makes two samples one to a perceiver. */
        static String contentOf(Sample sample) {
            List<String> parts = new ArrayList<>(List.of(
                    sample.context().profile(),
                    sample.context().phone(),
                    sample.context().world()));
            if (sample.trajectory() instanceof TextTrajectory told) {
                parts.addAll(told.steps());
            } else {
                ((ScreenTrajectory) sample.trajectory())
                        .frames()
                        .forEach(frame -> parts.add(
                                frame instanceof Frame.Caption caption
                                        ? "text " + caption.text()
                                        : "picture " + ((Frame.Screenshot) frame).picture()));
            }
            try {
                return AtomicFiles.sha256(JSON.writeValueAsBytes(parts));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Writes the file into a run directory. */
    public void save(Path run) {
        StringBuilder lines = new StringBuilder();
        try {
            for (Entry entry : entries) {
                Map<String, Object> line = new LinkedHashMap<>();
                line.put("id", entry.id());
                line.put("content", entry.content());
                line.put("split", entry.split());
                lines.append(JSON.writeValueAsString(line)).append('\n');
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        AtomicFiles.writeText(run.resolve(FILE), lines.toString());
    }

    /** @throws PrpfException 69 if the run has none, 65 naming the line if it is damaged */
    public static SplitRecord load(Path run) {
        Path file = run.resolve(FILE);
        if (!Files.isRegularFile(file)) {
            throw new UnavailableException(
                    file + ": does not exist, so nobody knows which samples training saw; `prpf mpp"
                            + " train --run-dir " + run + "` writes it");
        }
        List<Entry> entries = new ArrayList<>();
        try {
            for (String text : Files.readAllLines(file, StandardCharsets.UTF_8)) {
                JsonNode line = JSON.readTree(text);
                entries.add(new Entry(
                        line.required("id").asText(),
                        line.required("content").asText(),
                        JSON.treeToValue(line.required("split"), Split.class)));
            }
        } catch (IOException | IllegalArgumentException e) {
            throw new InvalidDataException(file + ":" + (entries.size() + 1) + ": cannot be read: " + e.getMessage());
        }
        return new SplitRecord(entries);
    }

    /**
     * Makes sure that a guarantee may be computed on these samples: each stands in this record as a calibration sample, and no training
     * or dev sample has its id or its content.
     *
     * @throws PrpfException 65 naming the first samples of which that is not so
     */
    public void requireUnseen(LabelledPerceptions calibration) {
        requireUnseen(calibration.samples().stream().map(LabelledPerception::id).toList());
    }

    /**
     * Makes sure, before anything is trained, that a guarantee may be computed on the calibration samples.
     *
     * @throws PrpfException as {@link #requireUnseen(LabelledPerceptions)}
     */
    public void requireUnseenCalibration() {
        requireUnseen(entries.stream()
                .filter(entry -> entry.split() == Split.CALIBRATION)
                .map(Entry::id)
                .toList());
    }

    /** Whether a split has samples. */
    boolean has(Split split) {
        return entries.stream().anyMatch(entry -> entry.split() == split);
    }

    /**
     * Makes sure that figures over test samples are over samples that nothing was fitted or chosen on.
     *
     * @param data of training, stopping and calibration
     * @param test for the final figures
     * @param sameImages whether a picture's path means the same file in both; if not, screen samples are compared by their ids alone
     * @throws PrpfException 65 naming the first test samples whose id or content stands in the data
     */
    public static void requireUnseenTest(List<Sample> data, List<Sample> test, boolean sameImages) {
        Set<String> ids = new HashSet<>();
        Set<String> contents = new HashSet<>();
        for (Sample sample : data) {
            ids.add(sample.id());
            contents.add(Entry.of(sample, Split.TRAIN).content());
        }
        List<String> seen = test.stream()
                .filter(sample -> ids.contains(sample.id())
                        || ((sameImages || sample.trajectory() instanceof TextTrajectory)
                                && contents.contains(
                                        Entry.of(sample, Split.TEST).content())))
                .map(Sample::id)
                .toList();
        if (!seen.isEmpty()) {
            throw new InvalidDataException(seen.size() + " of " + test.size()
                    + " test samples have the id or the content of a sample in --data, the first are "
                    + seen.subList(0, Math.min(NAMED, seen.size()))
                    + ": figures over them would be of samples the perceiver was fitted on; take them out of"
                    + " --test or of --data");
        }
    }

    private void requireUnseen(List<String> calibration) {
        Map<String, Split> seenContent = new HashMap<>();
        Map<String, Split> seenId = new HashMap<>();
        Map<String, String> contents = new HashMap<>();
        for (Entry entry : entries) {
            if (entry.split() == Split.CALIBRATION) {
                contents.put(entry.id(), entry.content());
            } else {
                seenContent.put(entry.content(), entry.split());
                seenId.put(entry.id(), entry.split());
            }
        }
        List<String> offending = calibration.stream()
                .filter(id -> !contents.containsKey(id)
                        || seenId.containsKey(id)
                        || seenContent.containsKey(contents.get(id)))
                .toList();
        if (!offending.isEmpty()) {
            throw new InvalidDataException(offending.size() + " of " + calibration.size()
                    + " calibration samples are not unseen: training or dev has their id or their content, or they are"
                    + " not of this run's calibration split; the first are "
                    + offending.subList(0, Math.min(NAMED, offending.size()))
                    + ". A guarantee would be false; remove the duplicates from the data and train again");
        }
    }
}
