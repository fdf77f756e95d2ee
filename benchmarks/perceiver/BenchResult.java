package dev.prpf.mpp.bench;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.report.Shown;
import dev.prpf.base.report.Table;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Cost of a perceiver on this machine. */
public record BenchResult(
        String device,
        int cores,
        int parameters,
        List<Training> training,
        List<PerceiverOnly> perceiverOnly,
        List<Decision> decisions,
        List<History> history,
        @JsonProperty("peak_mb") Memory memory) {
    /**
     * Training steps (forward, backward, AdamW) at one batch size, on trajectories of full length. Samples a second are at the median,
     * operations are of one sample forward and backward, and memory is the growth of resident memory.
     */
    public record Training(
            int batch, double samplesPerSecond, Timing step, double gflopPerSample, @Nullable Double peakMb) {}

    /** The network without encoders: path, samples at once, time and operations of one call. */
    public record PerceiverOnly(String what, int batch, Timing time, double gflop) {}

    /**
     * One decision by part, milliseconds at the median. A median of the whole is not the sum of the parts' medians.
     *
     * @param tokens through the text encoder a decision, special ones included
     * @param total from the new content to the answer
     * @param frameEncoderMs text recognition; null where no image is read
     */
    public record Decision(
            String what,
            double tokens,
            Timing total,
            @Nullable Double frameEncoderMs,
            double textEncoderMs,
            double fusionMs,
            Gflop gflop) {}

    /** 10⁹ floating-point operations; the frame encoder's are null where no image is read. */
    public record Gflop(@Nullable Double frameEncoder, double textEncoder, double fusion) {
        @JsonProperty("total")
        public double total() {
            return (frameEncoder == null ? 0 : frameEncoder) + textEncoder + fusion;
        }
    }

    /** A new frame's fusion (projections and answer) after a number of frames of history: microseconds, median. */
    public record History(int frames, double us) {}

    /**
     * Megabytes (10⁶ bytes) that each part added while it was loaded and used; null if the system does not say. The parts encode a frame
     * of 64 tokens and screenshots, if any, and run the streaming network.
     */
    public record Memory(@Nullable Double textEncoder, @Nullable Double frameEncoder, @Nullable Double fusion) {}

    /** For people: a table for each list, its columns the keys of the JSON, then the rest; a dash where a number does not exist. */
    public List<String> texts() {
        Map<String, String> facts = new LinkedHashMap<>();
        List<String> texts = new ArrayList<>();
        JsonRecords.tree(this).properties().forEach(entry -> {
            if (entry.getValue().isArray()) {
                texts.add(table(entry.getKey(), entry.getValue()));
            } else {
                flatten(entry.getKey(), entry.getValue(), facts);
            }
        });
        facts.forEach((name, value) -> texts.add(name + ": " + value));
        return texts;
    }

    private static String table(String name, JsonNode list) {
        List<Table.Row> rows = new ArrayList<>();
        List<String> columns = new ArrayList<>();
        for (JsonNode element : list) {
            Map<String, String> cells = new LinkedHashMap<>();
            element.properties().forEach(entry -> flatten(entry.getKey(), entry.getValue(), cells));
            rows.add(Table.Row.of(List.copyOf(cells.values())));
            columns = List.copyOf(cells.keySet());
        }
        return new Table(name, columns, rows).toText();
    }

    private static void flatten(String key, JsonNode value, Map<String, String> cells) {
        if (value.isObject()) {
            value.properties().forEach(entry -> flatten(key + "." + entry.getKey(), entry.getValue(), cells));
        } else if (value.isFloatingPointNumber()) {
            double number = value.doubleValue();
            cells.put(key, String.format(Locale.ROOT, Math.abs(number) < 10 ? "%.3f" : "%.1f", number));
        } else {
            cells.put(key, value.isNull() ? Shown.NONE : value.asText());
        }
    }
}
