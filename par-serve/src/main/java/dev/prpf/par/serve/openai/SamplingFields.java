package dev.prpf.par.serve.openai;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.par.generate.SamplingParams;
import dev.prpf.par.generate.SamplingParams.LogitChanges;
import dev.prpf.par.generate.SamplingParams.Sampling;
import dev.prpf.par.huggingface.GenerationDefaults;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.RequestFields;
import java.util.HashMap;
import java.util.Map;
import org.apache.commons.lang3.math.NumberUtils;
import org.jspecify.annotations.Nullable;

/**
 * The sampling fields of a request.
 *
 * @param sampling the distribution, or null for greedy decoding
 */
record SamplingFields(@Nullable Sampling sampling, double repetitionPenalty, LogitChanges changes) {
    private static final double HOTTEST = 100;
    private static final double PENALTY = 2;
    private static final double BIAS = 100;
    private static final int MOST_BIASES = 1024;

    /** Lower temperatures mean greedy decoding, as in vLLM. */
    private static final double COLDEST = 1e-5;

    private static final Sampling WHOLE = new Sampling(1, 0, 1);

    /**
     * Reads the sampling fields. If {@code generation_config.json} samples, its values are the defaults, else OpenAI's are. Without sampling fields, a request
     * for one answer is then decoded greedily, as the file asks.
     *
     * @param vocabulary number of ids of the model
     * @throws ApiException 400 for a value out of bounds
     */
    static SamplingFields of(RequestFields body, GenerationDefaults defaults, int vocabulary) {
        double penalty =
                body.number("repetition_penalty", SamplingParams.LEAST_PENALTY, HOTTEST, defaults.repetitionPenalty());
        LogitChanges changes = new LogitChanges(
                body.number("presence_penalty", -PENALTY, PENALTY, 0),
                body.number("frequency_penalty", -PENALTY, PENALTY, 0),
                bias(body, vocabulary),
                body.integer("min_tokens", 0, Integer.MAX_VALUE, 0));
        return new SamplingFields(sampling(body, defaults), penalty, changes);
    }

    private static @Nullable Sampling sampling(RequestFields body, GenerationDefaults defaults) {
        Sampling file = defaults.sampled() ? defaults.sampling() : WHOLE;
        Double temperature = body.number("temperature", 0, HOTTEST);
        Long topK = body.integer("top_k", -1, Integer.MAX_VALUE);
        double topP = positive(body, "top_p", 1, 0);
        Double minP = body.number("min_p", 0, 1);
        JsonNode answers = body.json("n");
        boolean several = answers != null && answers.intValue() > 1;
        boolean asked = several || temperature != null || topK != null || topP > 0 || minP != null;
        if (temperature == null ? !asked && !defaults.sampled() : temperature < COLDEST) {
            return null;
        }
        return new Sampling(
                temperature == null ? file.temperature() : temperature,
                topK == null ? file.topK() : Math.max(0, topK.intValue()),
                topP > 0 ? topP : file.topP(),
                minP == null ? file.minP() : minP);
    }

    private static double positive(RequestFields body, String name, double most, double otherwise) {
        double value = body.number(name, 0, most, -1);
        if (value == 0) {
            throw body.wrong(name, body.required(name), "above 0");
        }
        return value < 0 ? otherwise : value;
    }

    private static Map<Integer, Double> bias(RequestFields body, int vocabulary) {
        RequestFields given = body.object("logit_bias");
        Map<Integer, Double> bias = new HashMap<>();
        if (given != null) {
            if (given.object().size() > MOST_BIASES) {
                throw ApiException.invalid(
                        given.path(),
                        "logit_bias has " + given.object().size() + " tokens, must have at most " + MOST_BIASES);
            }
            for (Map.Entry<String, JsonNode> entry : given.object().properties()) {
                int id = NumberUtils.toInt(entry.getKey(), -1);
                if (id < 0 || id >= vocabulary) {
                    throw ApiException.invalid(
                            given.path(), "logit_bias has a key that is no token: they are 0 to " + (vocabulary - 1));
                }
                bias.put(id, given.number(entry.getKey(), -BIAS, BIAS, 0));
            }
        }
        return bias;
    }
}
