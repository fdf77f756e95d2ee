package dev.prpf.par.rollout;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IndexedRecords;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.files.RecordLines;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.rollout.GrpoSet.GrpoSetSettings;
import dev.prpf.par.rollout.RolloutGroup.GroupSummary;
import dev.prpf.par.sets.PromptExample;
import dev.prpf.par.vision.PromptImageReader;
import dev.prpf.par.vision.VisualPrompt.PromptImage;
import dev.prpf.par.vision.VisualPrompt.VisionImage;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A GRPO set in a directory: {@link #TRAIN} and {@link #TEST} hold rollout groups in the set's order, including copies. {@link #PROMPTS}
 * holds the prompts with gold answers. {@link #TEST} is missing if nothing is held out.
 *
 * @param train prompts in the set's order, including copies
 * @param test held-out prompts
 * @param provenance of the rollouts that chose them
 */
public record GrpoSetFiles(List<PromptExample> train, List<PromptExample> test, RolloutProvenance provenance) {
    public static final String TRAIN = "train.jsonl";
    public static final String TEST = "test.jsonl";
    public static final String PROMPTS = "prompts.jsonl";

    private static final RecordLines<Line> LINES = new RecordLines<>(Line.class, "GRPO prompt");

    /** A prompt in a file, without the functions needed only for constrained rollouts. */
    private record Line(
            String id,
            long[] promptIds,
            List<List<FunctionCall>> valid,
            ResponseForm form,
            List<String> images,
            List<String> imageKeys) {
        static Line of(PromptExample prompt) {
            List<String> images =
                    prompt.prompt().shown().stream().map(PromptImage::path).toList();
            List<String> keys =
                    prompt.prompt().images().stream().map(VisionImage::key).toList();
            return new Line(prompt.id(), prompt.ids(), prompt.valid(), prompt.form(), images, keys);
        }

        PromptExample prompt(String place, PromptImageReader reader) {
            List<TraceStep.Screenshot> shown =
                    images.stream().map(TraceStep.Screenshot::new).toList();
            PromptExample prompt = new PromptExample(id, reader.expanded(promptIds, shown, id), valid, form, List.of());
            requireSeen(place, prompt);
            return prompt;
        }

        /** Checks that the images are unchanged since the rollouts. */
        private void requireSeen(String place, PromptExample prompt) {
            List<String> now =
                    prompt.prompt().images().stream().map(VisionImage::key).toList();
            if (!now.equals(imageKeys)) {
                throw new InvalidDataException(place + ": the images of prompt \"" + id + "\" differ from those of its"
                        + " rollouts; give their folder with --images, or make the set again with `prpf"
                        + " data rollout-set`");
            }
        }
    }

    /**
     * Makes the set from a file of rollouts and writes it.
     *
     * @param report receives every group once
     * @throws PrpfException 65, see {@link RolloutGroup#index} and {@link GrpoSet#build}
     */
    public static GrpoSet write(
            Path directory,
            Path rollouts,
            List<PromptExample> prompts,
            GrpoSetSettings settings,
            RolloutReport report) {
        List<GroupSummary> summaries = new ArrayList<>();
        try (IndexedRecords<RolloutGroup> index = RolloutGroup.index(rollouts, group -> {
            GroupSummary summary = group.summary(settings);
            summaries.add(summary);
            report.add(group, summary);
        })) {
            GrpoSet set = GrpoSet.build(summaries, settings);
            Set<String> chosen = new HashSet<>(set.train());
            chosen.addAll(set.test());
            LINES.write(
                    directory.resolve(PROMPTS),
                    prompts.stream()
                            .filter(prompt -> chosen.contains(prompt.id()))
                            .map(Line::of)
                            .toList());
            copy(index, set.train(), directory.resolve(TRAIN));
            Path test = directory.resolve(TEST);
            if (set.test().isEmpty()) {
                IoFailure.whileWriting(test, () -> Files.deleteIfExists(test));
            } else {
                copy(index, set.test(), test);
            }
            return set;
        }
    }

    private static void copy(IndexedRecords<RolloutGroup> groups, List<String> ids, Path to) {
        AtomicFiles.write(to, out -> {
            for (String id : ids) {
                out.write(Objects.requireNonNull(groups.line(id), id).getBytes(StandardCharsets.UTF_8));
            }
        });
    }

    /**
     * Reads a set from a directory.
     *
     * @throws PrpfException 65, naming file and line, for an invalid line, a group without its prompt or with other tokens, and groups of
     *     several provenances
     */
    public static GrpoSetFiles read(Path directory, PromptImageReader reader) {
        Map<String, PromptExample> prompts = new LinkedHashMap<>();
        LINES.read(directory.resolve(PROMPTS), (place, line) -> {
            if (prompts.put(line.id(), line.prompt(place, reader)) != null) {
                throw new InvalidDataException(place + ": id \"" + line.id() + "\" is a duplicate");
            }
        });
        Groups groups = new Groups(prompts);
        List<PromptExample> train = groups.read(directory.resolve(TRAIN));
        Path held = directory.resolve(TEST);
        List<PromptExample> test = Files.exists(held) ? groups.read(held) : List.of();
        requireApart(train, test, directory);
        return new GrpoSetFiles(
                train, test, Objects.requireNonNull(groups.provenance, "a file of groups has at least one"));
    }

    /** Checks that train and test are disjoint: an interrupted overwrite may leave parts of two sets. */
    private static void requireApart(List<PromptExample> train, List<PromptExample> test, Path directory) {
        Set<String> held = new HashSet<>();
        test.forEach(prompt -> held.add(prompt.id()));
        train.stream().map(PromptExample::id).filter(held::contains).findFirst().ifPresent(id -> {
            throw new InvalidDataException(directory + ": prompt \"" + id + "\" is in " + TRAIN + " and in " + TEST
                    + "; the files are of two sets: make the set again with `prpf data rollout-set`");
        });
    }

    /** Returns the SHA-256 over the checksums of a set's files. */
    public static String sha256(Path directory) {
        StringBuilder sums = new StringBuilder();
        for (String name : List.of(PROMPTS, TRAIN, TEST)) {
            Path file = directory.resolve(name);
            sums.append(name)
                    .append(' ')
                    .append(Files.exists(file) ? AtomicFiles.sha256(file) : "none")
                    .append('\n');
        }
        return AtomicFiles.sha256(sums.toString().getBytes(StandardCharsets.UTF_8));
    }

    private static final class Groups {
        private final Map<String, PromptExample> prompts;
        private @Nullable RolloutProvenance provenance;

        Groups(Map<String, PromptExample> prompts) {
            this.prompts = prompts;
        }

        List<PromptExample> read(Path file) {
            List<PromptExample> found = new ArrayList<>();
            RolloutGroup.LINES.read(file, (place, group) -> found.add(prompt(place, group)));
            return found;
        }

        private PromptExample prompt(String place, RolloutGroup group) {
            PromptExample prompt = prompts.get(group.id());
            if (prompt == null || !Arrays.equals(prompt.ids(), group.promptIds())) {
                throw new InvalidDataException(place + ": " + PROMPTS + " has no prompt \"" + group.id()
                        + "\" with these tokens; the files are of several sets: make the set again with `prpf"
                        + " data rollout-set`");
            }
            provenance = group.provenance().requireSame(provenance, place, "a set has");
            return prompt;
        }
    }
}
