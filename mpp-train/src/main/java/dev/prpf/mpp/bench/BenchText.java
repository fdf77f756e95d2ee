package dev.prpf.mpp.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The figures as tables for people. */
public final class BenchText {
    private BenchText() {}

    /** Lines of fixed-width text; a dash where a figure does not exist. */
    public static List<String> lines(PerceiverBench.Figures figures) {
        List<String> lines = new ArrayList<>();
        lines.add("device " + figures.device() + ", " + figures.cores() + " cores, " + figures.parameters()
                + " parameters");
        lines.add("");
        lines.add(row("training", "samples/s", "ms/step", "p90", "GFLOP", "peak MB"));
        for (TrainingSpeed row : figures.training()) {
            lines.add(row(
                    "batch " + row.batch(),
                    number(row.samplesPerSecond()),
                    number(row.step().median()),
                    number(row.step().p90()),
                    number(row.gflopPerSample() * row.batch()),
                    number(row.peakMb())));
        }
        lines.add("");
        lines.add(row("perceiver only", "batch", "ms", "p90", "GFLOP"));
        for (PerceiverBench.PerceiverOnly row : figures.perceiverOnly()) {
            lines.add(row(
                    row.what(),
                    String.valueOf(row.batch()),
                    number(row.time().median()),
                    number(row.time().p90()),
                    number(row.gflop())));
        }
        lines.add("");
        lines.add(row("decision", "ms", "p90", "frame ms", "text ms", "fusion ms"));
        for (DecisionSpeed row : figures.decisions()) {
            lines.add(row(
                    row.what(),
                    number(row.total().median()),
                    number(row.total().p90()),
                    number(row.frameEncoder()),
                    number(row.textEncoder()),
                    number(row.fusion())));
        }
        lines.add("");
        lines.add(row("operations (GFLOP)", "all", "tokens", "frame", "text", "fusion"));
        for (DecisionSpeed row : figures.decisions()) {
            lines.add(row(
                    row.what(),
                    number(row.gflop().total()),
                    number(row.tokens()),
                    number(row.gflop().frameEncoder()),
                    number(row.gflop().textEncoder()),
                    number(row.gflop().fusion())));
        }
        lines.add("");
        lines.add(row("new frame after", "us"));
        for (HistorySpeed row : figures.history()) {
            lines.add(row(row.frames() + " frames", number(row.microseconds())));
        }
        PerceiverBench.Memory memory = figures.memory();
        lines.add("");
        lines.add(row("peak memory (MB)", "frame", "text", "fusion"));
        lines.add(
                row("added by", number(memory.frameEncoder()), number(memory.textEncoder()), number(memory.fusion())));
        return lines;
    }

    private static String row(String name, String... cells) {
        StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "%-42s", name));
        for (String cell : cells) {
            line.append(String.format(Locale.ROOT, "%11s", cell));
        }
        return line.toString();
    }

    private static String number(@Nullable Double value) {
        if (value == null) {
            return "-";
        }
        return String.format(Locale.ROOT, Math.abs(value) < 10 ? "%.3f" : "%.1f", value);
    }
}
