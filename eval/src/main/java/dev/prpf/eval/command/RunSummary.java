package dev.prpf.eval.command;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.prpf.base.files.IoFailure;
import dev.prpf.eval.efficiency.DecoderFacts;
import dev.prpf.eval.efficiency.RunResources;
import dev.prpf.par.cascade.Prediction;
import dev.prpf.par.openai.RemoteUsage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The output of {@code eval run --json}: a run's counts over all its parts, and its resources.
 *
 * @param counts of its lines, with these keys
 * @param cutIds samples with a response truncated at the token limit
 * @param took with these keys
 */
record RunSummary(String predictions, @JsonUnwrapped Counts counts, List<String> cutIds, @JsonUnwrapped Took took) {
    private static final int NAMED = 10;

    /**
     * Numbers of predictions by outcome.
     *
     * @param silentByGate not sent to the reasoner
     * @param reasoned sent to the reasoner
     * @param acting reasoned ones with at least one call
     * @param malformed with a malformed response of the reasoner or perceiver
     * @param unusablePerceptions malformed ones with a perceiver's answer that the gate could not use
     * @param cut with a truncated response of the reasoner
     */
    record Counts(
            int samples, int silentByGate, int reasoned, int acting, int malformed, int unusablePerceptions, int cut) {
        Counts with(Prediction prediction) {
            boolean silent = prediction.route() == Prediction.Route.SILENT;
            List<?> scored = prediction.scored();
            return new Counts(
                    samples + 1,
                    silentByGate + (silent ? 1 : 0),
                    reasoned + (silent ? 0 : 1),
                    acting + (scored != null && !scored.isEmpty() ? 1 : 0),
                    malformed + (scored == null ? 1 : 0),
                    unusablePerceptions + (prediction.unusablePerception() ? 1 : 0),
                    cut + (prediction.cut() ? 1 : 0));
        }
    }

    /**
     * Time and resources of a run.
     *
     * @param seconds wall clock of this process, after loading models
     * @param resources of all its processes, with these keys
     * @param decoder of a reasoner in this process, or null
     * @param remote usage of a reasoner on a server; null if it ran in this process
     */
    record Took(
            double seconds,
            @JsonUnwrapped RunResources resources,
            @Nullable DecoderFacts decoder,
            @Nullable RemoteUsage remote) {}

    static RunSummary of(Path file, Took took) {
        Counts[] counts = {new Counts(0, 0, 0, 0, 0, 0, 0)};
        List<String> cut = new ArrayList<>();
        read(file, prediction -> {
            counts[0] = counts[0].with(prediction);
            if (prediction.cut()) {
                cut.add(prediction.id());
            }
        });
        return new RunSummary(file.toString(), counts[0], cut, took);
    }

    /** Reads predictions one by one; a shard may have none. */
    static void read(Path file, Consumer<Prediction> each) {
        if (IoFailure.whileReading("cannot read " + file, () -> Files.size(file)) > 0) {
            Prediction.read(file, each);
        }
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT,
                "%d samples: %d silent by the gate, %d reasoned about (%d act, %d malformed), %.1f s; see %s",
                counts.samples,
                counts.silentByGate,
                counts.reasoned,
                counts.acting,
                counts.malformed - counts.unusablePerceptions,
                took.seconds,
                predictions));
        if (counts.unusablePerceptions > 0) {
            lines.add(counts.unusablePerceptions + " answers of the perceiver could not be used; the gate kept these"
                    + " samples from the reasoner, and they count as malformed, not as silent");
        }
        if (!cutIds.isEmpty()) {
            String named = cutIds.stream().limit(NAMED).collect(Collectors.joining(", "));
            String more = cutIds.size() > NAMED ? " and " + (cutIds.size() - NAMED) + " more" : "";
            lines.add(cutIds.size() + " responses were truncated at the token limit: " + named + more);
        }
        if (took.resources.peakMemoryMb() != null) {
            lines.add(String.format(Locale.ROOT, "at most %.0f MB resident", took.resources.peakMemoryMb()));
        }
        return lines;
    }
}
