package dev.prpf.par.huggingface;

import static dev.prpf.base.config.Rule.require;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.generate.Sampling;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a model's {@code generation_config.json} asks for. A key that is missing has transformers' default, so {@code top_k} is 50 where the
 * file is silent. A key that changes what is written and is not understood is refused, unless its value changes nothing; a key that nobody
 * knows is named in a warning.
 *
 * @param sampled whether to sample rather than take the likeliest token
 * @param sampling the distribution, used where {@code sampled}
 * @param repetitionPenalty of tokens that are there already; 1 for none
 * @param endTokens ids that end a response
 * @param stopTexts texts that end one
 */
public record GenerationDefaults(
        boolean sampled, Sampling sampling, double repetitionPenalty, List<Integer> endTokens, List<String> stopTexts) {
    private static final Logger LOG = LoggerFactory.getLogger(GenerationDefaults.class);
    private static final int DEFAULT_TOP_K = 50;

    public GenerationDefaults {
        boolean positive = repetitionPenalty > 0 && Double.isFinite(repetitionPenalty);
        require(positive, "repetition_penalty", repetitionPenalty, "> 0");
        endTokens = List.copyOf(endTokens);
        stopTexts = List.copyOf(stopTexts);
    }

    static GenerationDefaults read(String file, JsonNode root, List<Integer> modelEndTokens) {
        ConfigObject config = new ConfigObject(file, "", root);
        GenerationKeys.check(config, root).forEach(key -> LOG.warn("{}: {} is not known and is ignored", file, key));
        List<Integer> endTokens = config.has("eos_token_id") ? config.tokens("eos_token_id") : modelEndTokens;
        try {
            boolean sampled = config.flag("do_sample", false);
            return new GenerationDefaults(
                    sampled,
                    sampled ? sampling(config) : unused(config),
                    config.number("repetition_penalty", 1),
                    endTokens,
                    texts(config, root.path("stop_strings")));
        } catch (IllegalArgumentException e) {
            throw new InvalidDataException(file + ": " + e.getMessage());
        }
    }

    private static Sampling sampling(ConfigObject config) {
        return new Sampling(
                config.number("temperature", 1),
                config.whole("top_k", DEFAULT_TOP_K),
                config.number("top_p", 1),
                config.number("min_p", 0));
    }

    /** Beside {@code do_sample: false} other programs write 0 or -1 for none: such a value cuts and changes nothing. */
    private static Sampling unused(ConfigObject config) {
        double temperature = config.number("temperature", 1);
        double topP = config.number("top_p", 1);
        return new Sampling(
                temperature == 0 ? 1 : temperature,
                Math.max(0, config.whole("top_k", DEFAULT_TOP_K)),
                topP == 0 ? 1 : topP,
                config.number("min_p", 0));
    }

    /** One text, a list of texts, or none. */
    private static List<String> texts(ConfigObject config, JsonNode value) {
        List<String> texts = new ArrayList<>();
        if (value.isTextual()) {
            texts.add(value.textValue());
        } else if (value.isArray()) {
            value.forEach(text -> texts.add(text.isTextual() ? text.textValue() : ""));
        } else if (!value.isMissingNode() && !value.isNull()) {
            throw config.refused("stop_strings", "must be a text or a list of texts");
        }
        if (texts.contains("")) {
            throw config.refused("stop_strings", "must hold texts that are not empty");
        }
        return texts;
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
