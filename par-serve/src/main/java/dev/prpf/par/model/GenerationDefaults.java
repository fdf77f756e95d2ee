package dev.prpf.par.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.data.run.PrpfException;
import java.util.List;

/**
 * What a model's {@code generation_config.json} asks for.
 *
 * @param sampled whether to sample rather than take the likeliest token
 * @param sampling the distribution, used where {@code sampled}
 * @param endTokens ids that end a response
 */
public record GenerationDefaults(boolean sampled, Sampling sampling, List<Integer> endTokens) {
    public GenerationDefaults {
        endTokens = List.copyOf(endTokens);
    }

    static GenerationDefaults read(String file, JsonNode root, List<Integer> modelEndTokens) {
        refuse(file, root, "repetition_penalty", 1);
        refuse(file, root, "num_beams", 1);
        List<Integer> endTokens =
                root.hasNonNull("eos_token_id") ? ConfigObject.tokens(root.path("eos_token_id")) : modelEndTokens;
        try {
            Sampling sampling = new Sampling(
                    root.path("temperature").asDouble(1.0),
                    root.path("top_k").asInt(0),
                    root.path("top_p").asDouble(1.0));
            return new GenerationDefaults(root.path("do_sample").asBoolean(false), sampling, endTokens);
        } catch (IllegalArgumentException e) {
            throw PrpfException.badData(file + ": " + e.getMessage());
        }
    }

    private static void refuse(String file, JsonNode root, String key, double understood) {
        if (root.path(key).asDouble(understood) != understood) {
            throw PrpfException.badData(file + ": " + key + " = " + root.path(key) + ": only " + understood
                    + " is understood; remove the key to go without it");
        }
    }

    static ObjectNode write(DecoderConfig config) {
        ObjectNode root = new ObjectMapper().createObjectNode();
        if (config.tokens().begin() != null) {
            root.put("bos_token_id", config.tokens().begin());
        }
        DecoderConfigWriter.putTokens(root, config.tokens().end());
        if (config.tokens().pad() != null) {
            root.put("pad_token_id", config.tokens().pad());
        }
        return root;
    }
}
