package dev.prpf.par.bench;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The measured speed and memory of a vision encoder.
 *
 * @param shape of the tower
 * @param parameters of it
 * @param device where it ran
 * @param threads libtorch's
 * @param rounds measurements of each image
 * @param images by number format and size
 */
public record VisionMetrics(String shape, long parameters, String device, int threads, int rounds, List<Row> images) {
    private static final String ROW = "%-6s%-9s%12s%9s%28s%10s%10s";

    public VisionMetrics {
        images = List.copyOf(images);
    }

    /**
     * One image in one number format.
     *
     * @param dtype requested number format
     * @param products what its products are computed in here
     * @param image its size in pixels
     * @param patches that it has
     * @param seconds of a pass
     * @param gflops 10⁹ operations a second ({@link dev.prpf.par.vision.VisionConfig.VisionFlops})
     * @param peakMb 10⁶ bytes that its passes added to the process at most; null where the system does not say
     */
    public record Row(
            String dtype,
            String products,
            String image,
            int patches,
            BenchMetrics.Spread seconds,
            @JsonProperty("gflop_s") double gflops,
            @JsonProperty("peak_mb") @Nullable Double peakMb) {}

    /** Lines of fixed-width text; a dash where a metric does not exist. */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(format("vision tower %s, %d parameters, %s, %d threads", shape, parameters, device, threads));
        lines.add(format("one image a pass, median of %d rounds (lowest - highest)", rounds));
        lines.add("");
        lines.add(format(ROW, "dtype", "products", "image", "patches", "seconds", "GFLOP/s", "peak MB"));
        for (Row row : images) {
            lines.add(format(
                    ROW,
                    row.dtype(),
                    row.products(),
                    row.image(),
                    row.patches(),
                    row.seconds().text(3),
                    format("%.0f", row.gflops()),
                    row.peakMb() == null ? "-" : format("%.0f", row.peakMb())));
        }
        return lines;
    }

    private static String format(String pattern, Object... values) {
        return String.format(Locale.ROOT, pattern, values);
    }
}
