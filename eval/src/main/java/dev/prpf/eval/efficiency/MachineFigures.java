package dev.prpf.eval.efficiency;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.JsonFile;
import dev.prpf.par.cascade.PredictionCost;
import dev.prpf.par.engine.Precision;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Peak rates of a machine, measured by {@code reasoner bench --json}.
 *
 * @param readBytes bytes a second from memory
 * @param fp32Flops operations a second of matrix products in float32
 * @param bf16Flops the same in bfloat16
 */
public record MachineFigures(double readBytes, double fp32Flops, double bf16Flops) {
    private static final double GIGA = 1e9;

    /** @throws PrpfException 65 if the file is not such output */
    public static MachineFigures read(Path file) {
        JsonNode machine = JsonFile.read(file).path("machine");
        double fp32 = machine.path("gemm_fp32_gflop_s").asDouble();
        double bf16 = machine.path("gemm_bf16_gflop_s").asDouble();
        double read = machine.path("read_gb_s").asDouble();
        if (!(fp32 > 0) || !(bf16 > 0) || !(read > 0)) {
            throw new InvalidDataException(file + ": /machine must hold read_gb_s, gemm_fp32_gflop_s and"
                    + " gemm_bf16_gflop_s above 0, as `prpf reasoner bench --json` prints them");
        }
        return new MachineFigures(read * GIGA, fp32 * GIGA, bf16 * GIGA);
    }

    /**
     * Shares of what the roofline model (Williams et al., 2009) lets the reasoner reach.
     *
     * @param prefill share of the products' peak that prefill reaches
     * @param decode share of the decode roofline: the lower of that peak and the memory's limit. Each pass reads all weights; a full batch of
     *     one token each makes 2 batch / weight-bytes operations a byte. Batches are not always full, so the share is too low
     * @param peak number format of the products' peak, the format of the reasoner's weights
     * @param eightBits whether the weights have 8 bits; the peak is then a wider format's
     */
    public record Share(
            @Nullable Double prefill, @Nullable Double decode, String peak, @JsonIgnore boolean eightBits) {}

    Share share(PredictionCost.Parts flops, PredictionCost.Parts seconds, DecoderFacts decoder) {
        double fed = readBytes * 2 * decoder.batchSize() / decoder.weightBytes();
        Precision format = peak(decoder);
        double gemm = format == Precision.BF16 ? bf16Flops : fp32Flops;
        return new Share(
                rate(flops.prefill(), seconds.prefill(), gemm),
                rate(flops.decode(), seconds.decode(), Math.min(gemm, fed)),
                format.label(),
                decoder.weightBytes() == Precision.INT8.weightBytes());
    }

    /**
     * Returns the number format of the products that a decoder is compared with: its weights' format. {@code reasoner bench} does not
     * measure 8 bits, so 8-bit weights get the faster format.
     */
    private Precision peak(DecoderFacts decoder) {
        return decoder.weightBytes() == Precision.BF16.weightBytes()
                        || (decoder.weightBytes() == Precision.INT8.weightBytes() && bf16Flops > fp32Flops)
                ? Precision.BF16
                : Precision.FP32;
    }

    private static @Nullable Double rate(@Nullable Double flops, @Nullable Double seconds, double best) {
        return flops == null || seconds == null || seconds == 0 ? null : flops / seconds / best;
    }
}
