package dev.prpf.eval.efficiency;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.JsonFile;
import dev.prpf.par.cascade.PredictionCost;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What a machine can do at best, as {@code par bench --json} measured it.
 *
 * @param readBytes bytes a second from memory
 * @param gemmFlops operations a second of matrix products
 */
public record MachineFigures(double readBytes, double gemmFlops) {
    private static final double GIGA = 1e9;

    /** @throws PrpfException 65 if the file is no such output */
    public static MachineFigures read(Path file) {
        JsonNode machine = JsonFile.read(file).path("machine");
        double gemm = Math.max(
                machine.path("gemm_fp32_gflop_s").asDouble(),
                machine.path("gemm_bf16_gflop_s").asDouble());
        double read = machine.path("read_gb_s").asDouble();
        if (!(gemm > 0) || !(read > 0)) {
            throw new InvalidDataException(file + ": /machine must hold read_gb_s and gemm_fp32_gflop_s above 0, as"
                    + " `prpf par bench --json` prints them");
        }
        return new MachineFigures(read * GIGA, gemm * GIGA);
    }

    /**
     * Shares of what the roofline model (Williams et al., 2009) lets the reasoner reach.
     *
     * @param prefill operations a second of reading prompts, of the products' peak
     * @param decode operations a second of writing, of the lower of that peak and what memory feeds: every pass reads all weights and a full
     *     batch takes one token each, 2 batch / weight-bytes operations a byte. Batches are not always full, so it is rather too low
     */
    public record Share(@Nullable Double prefill, @Nullable Double decode) {}

    Share share(PredictionCost.Parts flops, PredictionCost.Parts seconds, DecoderFacts decoder) {
        double fed = readBytes * 2 * decoder.batchSize() / decoder.weightBytes();
        return new Share(
                rate(flops.prefill(), seconds.prefill(), gemmFlops),
                rate(flops.decode(), seconds.decode(), Math.min(gemmFlops, fed)));
    }

    private static @Nullable Double rate(@Nullable Double flops, @Nullable Double seconds, double best) {
        return flops == null || seconds == null || seconds == 0 ? null : flops / seconds / best;
    }
}
