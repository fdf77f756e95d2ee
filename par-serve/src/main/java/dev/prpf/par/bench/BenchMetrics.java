package dev.prpf.par.bench;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What was measured.
 *
 * @param model directory or shape
 * @param parameters of the model
 * @param device where it ran
 * @param threads libtorch's
 * @param machine what this machine can do at best
 * @param prompt tokens of a prompt
 * @param newTokens tokens written after it
 * @param rounds measurements of each metric
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
    /**
     * One number format at one batch size.
     *
     * @param dtype number format
     * @param products which products of matrices it takes on this machine
     * @param batch prompts at once
     * @param prefill tokens a second of reading the prompts, the first new token among it
     * @param decode tokens a second of writing all others, all rows together; null where the clock could not tell it from the prefill
     * @param prefillOfGemmPeak operations that the prompts need, as a share of the machine's best
     * @param decodeOfBandwidth bytes that the steps need, as a share of the machine's best; null where decode is
     * @param residentMb 10⁶ bytes that loading and running added to the process at most; null where the system does not say
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
}
