package dev.prpf.par.bench;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.apache.commons.math3.stat.StatUtils;
import org.jspecify.annotations.Nullable;

/**
 * The measured speed of a decoder, with the peak speeds of the machine.
 *
 * @param model directory or shape
 * @param device of the measurement
 * @param threads number of libtorch's threads
 * @param machine peak speeds of this machine
 * @param prompt number of prompt tokens
 * @param newTokens number of generated tokens
 * @param rounds number of measurements of each metric
 * @param decoders by number format and batch
 */
public record BenchMetrics(
        String model,
        long parameters,
        String device,
        int threads,
        MachineSpeed machine,
        int prompt,
        @JsonProperty("new") int newTokens,
        int rounds,
        List<Row> decoders) {
    private static final String ROW = "%-6s%7s%28s%28s%10s%12s%13s   %s";

    /**
     * One number format at one batch size.
     *
     * @param dtype number format
     * @param products kernel of the products on this machine
     * @param batch number of concurrent prompts
     * @param prefill prompt tokens per second, with the first new token
     * @param decode other tokens per second, all rows together; null if the clock could not separate it from the prefill
     * @param prefillOfGemmPeak operations of the prompts, as a share of the machine's peak
     * @param decodeOfBandwidth bytes of the steps, as a share of the machine's peak; null if decode is
     * @param residentMb peak of 10⁶ bytes added to the process by loading and running; null if the system does not report it
     */
    public record Row(
            String dtype,
            String products,
            int batch,
            @JsonProperty("prefill_tok_s") Spread prefill,
            @JsonProperty("decode_tok_s") @Nullable Spread decode,
            @JsonProperty("prefill_of_gemm_peak") double prefillOfGemmPeak,
            @JsonProperty("decode_of_bandwidth") @Nullable Double decodeOfBandwidth,
            @JsonProperty("resident_mb") @Nullable Double residentMb) {}

    /** Returns lines of fixed-width text; a dash where a metric does not exist. */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(format("%s, %d parameters, %s, %d threads", model, parameters, device, threads));
        lines.add(format(
                "reads %.1f GB/s; products of matrices: fp32 %.0f, bf16 %.0f GFLOP/s",
                machine.readBandwidth(), machine.gemmFp32(), machine.gemmBf16()));
        lines.add(format(
                "prompts of %d tokens, %d new ones, median of %d rounds (lowest - highest)",
                prompt, newTokens, rounds));
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
        for (Row row : decoders) {
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
        return spread == null ? "-" : spread.text(1);
    }

    private static String percent(@Nullable Double share) {
        return share == null ? "-" : format("%.0f %%", 100 * share);
    }

    private static String format(String pattern, Object... values) {
        return String.format(Locale.ROOT, pattern, values);
    }

    /**
     * A metric measured several times.
     *
     * @param median of the rounds
     * @param min lowest value
     * @param max highest value
     */
    public record Spread(double median, double min, double max) {
        /** Returns the spread of the values of all rounds, at least one. */
        public static Spread of(double... values) {
            if (values.length == 0) {
                throw new IllegalArgumentException("no round was measured");
            }
            return new Spread(StatUtils.percentile(values, 50), StatUtils.min(values), StatUtils.max(values));
        }

        public static <R> Spread of(List<R> rounds, ToDoubleFunction<R> value) {
            return of(rounds.stream().mapToDouble(value).toArray());
        }

        public String text(int decimals) {
            String number = "%." + decimals + "f";
            return format(number + " (" + number + " - " + number + ")", median, min, max);
        }
    }
}
