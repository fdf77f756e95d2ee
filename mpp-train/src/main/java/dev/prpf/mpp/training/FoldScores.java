package dev.prpf.mpp.training;

import dev.prpf.base.config.Rule;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.RecordLines;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * A linear classifier's scores on one held-out fold, as a file with one line for each sample. A killed ensemble training reads it when it
 * resumes.
 *
 * @param ids of the fold's samples, in order
 */
record FoldScores(Path file, List<String> ids, int strengths) {
    private static final RecordLines<Line> LINES = new RecordLines<>(Line.class, "scores of a held-out sample");

    /** A sample's probabilities, one for each C. */
    record Line(String id, List<Double> scores) {
        Line {
            scores = List.copyOf(scores);
            scores.forEach(score -> Rule.require(score >= 0 && score <= 1, "scores", score, "in [0, 1]"));
        }
    }

    boolean exist() {
        return Files.isRegularFile(file);
    }

    /** Writes scores, shape (C, n), and returns them. */
    double[][] write(double[][] scores) {
        LINES.write(
                file,
                IntStream.range(0, ids.size())
                        .mapToObj(i -> new Line(ids.get(i), column(scores, i)))
                        .toList());
        return scores;
    }

    private static List<Double> column(double[][] scores, int sample) {
        return DoubleStream.of(IntStream.range(0, scores.length)
                        .mapToDouble(c -> scores[c][sample])
                        .toArray())
                .boxed()
                .toList();
    }

    /**
     * Reads the scores of the file, shape (C, n).
     *
     * @throws PrpfException 65 if it is damaged or of other samples
     */
    double[][] read() {
        List<Line> lines = new ArrayList<>();
        LINES.read(file, (place, line) -> {
            if (line.scores.size() != strengths) {
                throw new InvalidDataException(place + ": holds " + line.scores.size() + " scores, must be " + strengths
                        + ", one for each C; remove the file and run the same command again");
            }
            lines.add(line);
        });
        if (!lines.stream().map(Line::id).toList().equals(ids)) {
            throw new InvalidDataException(file + ": its " + lines.size() + " samples are not the " + ids.size()
                    + " of this fold; remove the file and run the same command again");
        }
        return IntStream.range(0, strengths)
                .mapToObj(c ->
                        lines.stream().mapToDouble(line -> line.scores.get(c)).toArray())
                .toArray(double[][]::new);
    }
}
