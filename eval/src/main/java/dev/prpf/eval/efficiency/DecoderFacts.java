package dev.prpf.eval.efficiency;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.par.cascade.LocalReasoner;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.TorchRuntime;
import org.jspecify.annotations.Nullable;

/**
 * Facts about a reasoner in this process from which its cost is estimated.
 *
 * @param parameters N_p of PRPF eq. 31
 * @param layers L
 * @param hiddenSize d
 * @param weightBytes of one weight of its matrices
 * @param batchSize maximum number of responses decoded together
 * @param device its device: {@code cpu}, or {@code gpu:0}
 */
public record DecoderFacts(long parameters, int layers, int hiddenSize, int weightBytes, int batchSize, String device) {
    /** Returns the facts of a loaded reasoner. */
    public static DecoderFacts of(LocalReasoner reasoner) {
        DecoderConfig config = reasoner.decoder().config();
        return new DecoderFacts(
                config.parameterCount(),
                config.layers(),
                config.hiddenSize(),
                reasoner.decoder().shape().precision().weightBytes(),
                reasoner.settings().batchSize(),
                TorchRuntime.device());
    }

    /** Reads the facts from {@code run.json}; null if it has none. */
    public static @Nullable DecoderFacts of(JsonNode json) {
        return json.isObject()
                ? new DecoderFacts(
                        json.path("parameters").asLong(),
                        json.path("layers").asInt(),
                        json.path("hidden_size").asInt(),
                        json.path("weight_bytes").asInt(),
                        json.path("batch_size").asInt(),
                        json.path("device").asText())
                : null;
    }

    /** Estimates the operations of one response as in PRPF eq. 31: 2 N_p (T_p + T_g) + 4 L d T_p (T_p + T_g). */
    public double eq31(long promptTokens, long newTokens) {
        double tokens = (double) promptTokens + newTokens;
        return 2.0 * parameters * tokens + 4.0 * layers * hiddenSize * promptTokens * tokens;
    }
}
