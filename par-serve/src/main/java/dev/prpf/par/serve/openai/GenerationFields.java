package dev.prpf.par.serve.openai;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.par.generate.SamplingParams;
import dev.prpf.par.generate.SamplingParams.LogitChanges;
import dev.prpf.par.generate.SamplingParams.Sampling;
import dev.prpf.par.generate.SamplingParams.StoppingCriteria;
import dev.prpf.par.huggingface.GenerationDefaults;
import dev.prpf.par.serve.generation.ServedModel;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.RequestFields;
import dev.prpf.par.tokenizer.Tokenizer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import org.apache.commons.lang3.math.NumberUtils;
import org.jspecify.annotations.Nullable;

/**
 * The fields common to chat and completion requests.
 *
 * @param usage whether a stream's last event counts tokens
 * @param seed of the first answer; each further answer adds one
 * @param sampling how tokens are chosen
 * @param ending stopping criteria, always with a text of tokens
 * @param view the parts of an answer that are returned
 */
record GenerationFields(
        int n, boolean stream, boolean usage, long seed, SamplingFields sampling, StoppingCriteria ending, View view) {
    static final int MOST_ANSWERS = 8;
    static final int MOST_LOGPROBS = 20;
    private static final int MOST_STOPS = 4;
    private static final int LONGEST_STOP = 1000;
    private static final int CHARACTERS_OF_TOKEN = 16;

    /**
     * The parts of an answer that are returned next to its text.
     *
     * @param tokenIds whether to return ids (vLLM's return_token_ids)
     * @param tokensAsIds whether a token is written as {@code token_id:7} (vLLM's return_tokens_as_token_ids)
     */
    record View(boolean skipSpecial, boolean tokenIds, boolean tokensAsIds) {
        /** Returns the function that decodes ids. */
        Function<long[], String> text(Tokenizer tokenizer) {
            return skipSpecial ? tokenizer::decodeText : tokenizer::decode;
        }
    }

    /** @throws ApiException 404 for another model, 400 for unsupported or invalid fields */
    static GenerationFields of(RequestFields body, ServedModel model) {
        model.requireNamed(body.text("model"));
        NeutralFields.require(body);
        SamplingFields sampling =
                SamplingFields.of(body, model.defaults(), model.service().vocabularySize());
        int n = body.integer("n", 1, MOST_ANSWERS, 1);
        if (n > 1 && sampling.sampling() == null) {
            throw ApiException.invalid(
                    "n",
                    "n is " + n + ": the likeliest tokens are the same in every answer; give a temperature above 0");
        }
        boolean stream = body.flag("stream", false);
        View view = new View(
                body.flag("skip_special_tokens", true),
                body.flag("return_token_ids", false),
                body.flag("return_tokens_as_token_ids", false));
        Long seed = body.integer("seed", Long.MIN_VALUE, Long.MAX_VALUE);
        return new GenerationFields(
                n,
                stream,
                usage(body, stream),
                seed == null ? ThreadLocalRandom.current().nextLong() : seed,
                sampling,
                ending(body, model, view),
                view);
    }

    private static boolean usage(RequestFields body, boolean stream) {
        RequestFields options = body.object("stream_options");
        if (options == null) {
            return false;
        }
        if (!stream) {
            throw ApiException.invalid("stream_options", "stream_options needs \"stream\": true");
        }
        options.flag("include_obfuscation", false);
        if (options.flag("continuous_usage_stats", false)) {
            options.refuse("continuous_usage_stats", ": usage comes once, at the end");
        }
        return options.flag("include_usage", false);
    }

    /** Reads the stopping criteria. A stop text that is a special token, which has no text, becomes a stop token. */
    private static StoppingCriteria ending(RequestFields body, ServedModel model, View view) {
        Tokenizer tokenizer = model.chat().tokenizer();
        Function<long[], String> text = view.text(tokenizer);
        boolean goesOn = body.flag("ignore_eos", false);
        Set<Integer> tokens =
                new LinkedHashSet<>(goesOn ? List.of() : model.defaults().endTokens());
        tokens.addAll(ids(body, "stop_token_ids", model.service().vocabularySize()));
        List<String> asked =
                new ArrayList<>(goesOn ? List.of() : model.defaults().stopTexts());
        asked.addAll(stops(body));
        List<String> texts = new ArrayList<>();
        for (String stop : asked) {
            Long id = tokenizer.controlTokens().get(stop);
            if (id != null && text.apply(new long[] {id}).isEmpty()) {
                tokens.add(Math.toIntExact(id));
            } else {
                texts.add(stop);
            }
        }
        return new StoppingCriteria(tokens, texts, text);
    }

    private static List<String> stops(RequestFields body) {
        JsonNode given = body.json("stop");
        if (given == null) {
            return List.of();
        }
        List<JsonNode> nodes = given.isTextual() ? List.of(given) : body.list("stop");
        boolean texts = nodes.stream()
                .allMatch(stop -> stop.isTextual()
                        && !stop.textValue().isEmpty()
                        && stop.textValue().length() <= LONGEST_STOP);
        if (!texts || nodes.size() > MOST_STOPS) {
            throw body.wrong(
                    "stop",
                    given,
                    "a text or up to " + MOST_STOPS + " texts, none empty or of more than " + LONGEST_STOP
                            + " characters");
        }
        return nodes.stream().map(JsonNode::textValue).toList();
    }

    static List<Integer> ids(RequestFields body, String name, int vocabulary) {
        List<JsonNode> ids = body.list(name);
        if (!ids.stream().allMatch(id -> isToken(id, vocabulary))) {
            throw ApiException.invalid(
                    name, name + " holds what is no token: they are integers from 0 to " + (vocabulary - 1));
        }
        return ids.stream().map(JsonNode::intValue).toList();
    }

    private static boolean isToken(JsonNode id, int vocabulary) {
        return id.isInt() && id.intValue() >= 0 && id.intValue() < vocabulary;
    }

    /** Reads token ids given in place of a text. @throws ApiException 400 if the value is not an array of ids of the vocabulary */
    static long[] ids(String field, JsonNode given, int vocabulary) {
        boolean tokens = given.isArray() && given.valueStream().allMatch(id -> isToken(id, vocabulary));
        if (!tokens) {
            throw ApiException.invalid(
                    field, field + " must be a text or token ids, integers from 0 to " + (vocabulary - 1));
        }
        return given.valueStream().mapToLong(JsonNode::longValue).toArray();
    }

    /**
     * Returns the sampling parameters of a generation.
     *
     * @param maxNew most new tokens
     * @param top number of likeliest tokens to return at each position, or null without log-probabilities
     * @param prompt whether to score the prompt's tokens
     */
    SamplingParams params(int maxNew, @Nullable Integer top, boolean prompt) {
        int least = sampling.changes().minNewTokens();
        if (least > maxNew) {
            throw ApiException.invalid(
                    "min_tokens",
                    "min_tokens is " + least + ", must be at most the " + maxNew + " tokens of an answer");
        }
        return new SamplingParams(
                maxNew,
                sampling.sampling(),
                sampling.repetitionPenalty(),
                ending,
                top != null,
                top == null ? 0 : top,
                prompt,
                sampling.changes());
    }

    /**
     * Refuses a text by its number of characters, before it is tokenized. Tokenizing takes about 500 bytes a character.
     *
     * @param field that holds the text
     */
    static void requireShort(ServedModel model, long characters, String field) {
        int positions = model.service().positions();
        if (characters / CHARACTERS_OF_TOKEN > positions) {
            throw ApiException.contextLengthExceeded(
                    field,
                    "the context has " + positions + " tokens, the prompt has " + characters + " characters, more than "
                            + CHARACTERS_OF_TOKEN + " a token; send a shorter one");
        }
    }

    /**
     * Returns the number of tokens that an answer may have.
     *
     * @param asked limit of the request; null for all remaining positions
     * @throws ApiException 400 {@code context_length_exceeded}
     */
    static int room(ServedModel model, int prompt, @Nullable Integer asked, String prompted, String limited) {
        int positions = model.service().positions();
        int room = positions - prompt;
        if (room < 1 || (asked != null && asked > room)) {
            throw ApiException.contextLengthExceeded(
                    room < 1 ? prompted : limited,
                    "the context has " + positions + " tokens, the prompt takes " + prompt
                            + (room < 1
                                    ? ", which leaves none for an answer"
                                    : " and " + limited + " asks for " + asked)
                            + (room < 1 ? "" : ", at most " + room + " are left"));
        }
        return asked == null ? room : asked;
    }

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
         * @throws ApiException 400 for a value out of bounds
         */
        static SamplingFields of(RequestFields body, GenerationDefaults defaults, int vocabulary) {
            double penalty = body.number(
                    "repetition_penalty", SamplingParams.LEAST_PENALTY, HOTTEST, defaults.repetitionPenalty());
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
                                given.path(),
                                "logit_bias has a key that is not a token id (0 to " + (vocabulary - 1) + ")");
                    }
                    bias.put(id, given.number(entry.getKey(), -BIAS, BIAS, 0));
                }
            }
            return bias;
        }
    }
}
