package dev.prpf.eval.harness;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.RecordLines;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.data.Sample;
import dev.prpf.eval.score.SampleScore;
import dev.prpf.eval.score.Scores;
import dev.prpf.par.cascade.Prediction;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.apache.commons.lang3.StringUtils;
import org.jspecify.annotations.Nullable;

/**
 * Writes the scores of one system in the format of lm-evaluation-harness 0.4.
 *
 * @param model the system's name
 * @param gold the file of labelled samples; its name without the extension is the task's name
 * @param arguments origin of the scores, label to value; written as {@code config.model_args}
 * @param date of the evaluation
 */
public record HarnessFiles(String model, Path gold, Map<String, String> arguments, Instant date) {
    private static final RecordLines<HarnessSample> LINES = new RecordLines<>(HarnessSample.class, "sample");
    private static final DateTimeFormatter DATE =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH-mm-ss.SSSSSS").withZone(ZoneOffset.UTC);

    /** Makes a name safe as part of a path by the harness's own rule; path traversal becomes "__", too. */
    public static String sanitized(String name) {
        String safe = name.replaceAll("[\"<>:/|\\\\?*\\[\\]]+", "__");
        return StringUtils.containsOnly(safe, '.') ? "__" : safe;
    }

    /** Returns the task's name. */
    public String task() {
        return StringUtils.substringBeforeLast(String.valueOf(gold.getFileName()), ".");
    }

    /**
     * Writes both files, each whole or not at all; memory holds one sample.
     *
     * @param directory for both files; older ones are kept
     * @param scores of the samples
     * @param samples the gold set, in the order of the scores
     * @param predictions by id
     * @throws PrpfException 69 if nothing can be written there
     */
    public void write(
            Path directory,
            Scores scores,
            Iterator<Sample> samples,
            Function<String, @Nullable Prediction> predictions) {
        HarnessResults.Sums sums = new HarnessResults.Sums();
        Iterator<SampleScore> scored = scores.samples().iterator();
        String when = DATE.format(date);
        LINES.write(directory.resolve("samples_" + sanitized(task()) + "_" + when + ".jsonl"), new Iterator<>() {
            @Override
            public boolean hasNext() {
                return samples.hasNext();
            }

            @Override
            public HarnessSample next() {
                Sample sample = samples.next();
                Prediction prediction = Objects.requireNonNull(predictions.apply(sample.id()), sample.id());
                HarnessSample line = HarnessSample.of(sums.lines(), sample, prediction, scored.next());
                sums.add(line);
                return line;
            }
        });
        AtomicFiles.writeText(
                directory.resolve("results_" + when + ".json"),
                JsonRecords.tree(HarnessResults.of(this, scores, sums)).toPrettyString());
    }
}
