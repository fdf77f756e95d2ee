package dev.prpf.eval.efficiency;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.par.cascade.LocalReasoner;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.TorchRuntime;
import org.jspecify.annotations.Nullable;

/**
 * What of a reasoner in this process estimates need.
 *
 * @param parameters N_p of PRPF eq. 31
 * @param layers L
 * @param hiddenSize d
 * @param weightBytes of one weight of its matrices
 * @param batchSize responses written together, at most
 * @param device where it ran: {@code cpu}, or {@code gpu:0}
 */
public record DecoderFacts(long parameters, int layers, int hiddenSize, int weightBytes, int batchSize, String device) {
    /** Of a reasoner that is loaded. */
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

    /** As {@code run.json} keeps it; null where there is none. */
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

    /** Operations of one response, estimated as PRPF eq. 31: 2 N_p (T_p + T_g) + 4 L d T_p (T_p + T_g). */
    public double eq31(long promptTokens, long newTokens) {
        double tokens = (double) promptTokens + newTokens;
        return 2.0 * parameters * tokens + 4.0 * layers * hiddenSize * promptTokens * tokens;
    }
}
