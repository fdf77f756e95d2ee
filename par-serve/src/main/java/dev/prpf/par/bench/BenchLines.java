package dev.prpf.par.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The metrics as a table for people. */
public final class BenchLines {
    private static final String ROW = "%-6s%7s%28s%28s%10s%12s%13s   %s";

    private BenchLines() {}

    /** Lines of fixed-width text; a dash where a metric does not exist. */
    public static List<String> of(BenchMetrics metrics) {
        MachineSpeed machine = metrics.machine();
        List<String> lines = new ArrayList<>();
        lines.add(format(
                "%s, %d parameters, %s, %d threads",
                metrics.model(), metrics.parameters(), metrics.device(), metrics.threads()));
        lines.add(format(
                "reads %.1f GB/s; products of matrices: fp32 %.0f, bf16 %.0f GFLOP/s",
                machine.readBandwidth(), machine.gemmFp32(), machine.gemmBf16()));
        lines.add(format(
                "prompts of %d tokens, %d new ones, median of %d rounds (lowest - highest)",
                metrics.prompt(), metrics.newTokens(), metrics.rounds()));
        lines.add("");
        lines.add(format(
                ROW,
                "dtype",
                "batch",
                "prefill tok/s",
                "decode tok/s",
                "of GEMM",
                "of memory",
                "resident MB",
                "products"));
        for (BenchMetrics.Row row : metrics.decoders()) {
            lines.add(format(
                    ROW,
                    row.dtype(),
                    row.batch(),
                    spread(row.prefill()),
                    spread(row.decode()),
                    percent(row.prefillOfGemmPeak()),
                    percent(row.decodeOfBandwidth()),
                    row.residentMb() == null ? "-" : format("%.0f", row.residentMb()),
                    row.products()));
        }
        return lines;
    }

    private static String spread(@Nullable Spread spread) {
        return spread == null ? "-" : format("%.1f (%.1f - %.1f)", spread.median(), spread.min(), spread.max());
    }

    private static String percent(@Nullable Double share) {
        return share == null ? "-" : format("%.0f %%", 100 * share);
    }

    private static String format(String pattern, Object... values) {
        return String.format(Locale.ROOT, pattern, values);
    }
}
