package dev.prpf.par.openai;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.http.BusyException;
import dev.prpf.base.http.Retrier;
import dev.prpf.par.openai.ChatModel.ChatOutcome;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Turns error responses of servers into errors that name the remedy. */
record ChatErrors(ServerSettings settings, String model) {
    /** HTTP statuses that reject a request for its content. */
    private static final Set<Integer> REFUSED = Set.of(400, 413, 422);

    /** Error codes and types for a prompt that does not fit: OpenAI, llama.cpp, Anthropic. */
    private static final Set<String> TOO_LONG_CODES = Set.of(
            "context_length_exceeded", "exceed_context_size_error", "string_above_max_length", "request_too_large");

    /** Phrases of servers without such a code for a prompt that does not fit, in lower case. */
    private static final Pattern TOO_LONG = Pattern.compile("exceed_context_size|context_length_exceeded"
            + "|context.?(length|size|window|limit)|(maximum|max) (input|model|prompt|sequence) length"
            + "|(prompt|input|messages?|query)\\b.{0,80}?\\b(too long|longer than)"
            + "|(prompt|input|messages?|query|request)\\b.{0,40}?\\b(length|tokens?)\\b.{0,80}?\\b(exceeds?|exceeded|too large|cannot exceed)"
            + "|(exceeds?|exceeded)\\b.{0,40}?\\b(token limit|tokens allowed)|too many (input |prompt )?tokens"
            + "|range of input length|inputs\\W? (tokens|must have less)|tokens? > \\d+ maximum"
            + "|reduce the length of (the|your) (messages|prompt|input)|(prompt|输入|上下文|请求).{0,12}(超长|过长|超过|超出)");

    /** Phrases that reject only the answer's length, which is an error of the configuration, not of the prompt. */
    private static final Pattern MAX_TOKENS = Pattern.compile(
            "max_(completion_|new_|output_)?tokens\\W*(or \\W*max_\\w+\\W*)?(is |are )?too large|range of max_\\w*tokens");

    private static final int CLIENT_ERROR = 4;
    private static final int SERVER_ERROR = 500;

    /**
     * Error texts for a model without vision, in lower case: of vLLM 0.11, SGLang 0.5.23, llama.cpp (with status 500), this program and
     * others.
     */
    private static final Pattern NO_VISION = Pattern.compile("not a multimodal model|at most 0 image"
            + "|only supports text input|multimodal inputs are not supported|image input is not supported"
            + "|takes no images|image_url is only supported by|does not support (image|vision)|support image input"
            + "|unknown variant [`'\\\\\"]*image_url");

    /** Error texts of vLLM and SGLang for more images than they were configured for. */
    private static final Pattern TOO_MANY_IMAGES = Pattern.compile("at most \\d+ image|image count \\d+ exceeds limit");

    /** A request's name in messages, and the number of its images. */
    record Sent(String name, int images) {}

    /**
     * Returns null for a success, or the outcome of a rejected request. Throws for any other error.
     *
     * @param models supplies the server's models, for an error about a missing model; null without a list
     */
    ChatOutcome.@Nullable NoAnswer judge(
            String url, HttpResponse<byte[]> response, Sent sent, Supplier<@Nullable String> models)
            throws BusyException {
        int status = response.statusCode();
        if (status / 100 == 2) {
            return null;
        }
        String words = ChatJson.error(response.body());
        String at = url + " answered " + sent.name() + " with status " + status + ": " + words;
        requireImagesAccepted(sent.images(), at, status, response.body());
        if (BusyException.isBusy(status)) {
            throw BusyException.of(at, response);
        }
        if (REFUSED.contains(status)) {
            return isTooLong(response.body())
                    ? new ChatOutcome.TooLong(words)
                    : new ChatOutcome.Refused(at + hint(sent.images()));
        }
        throw switch (status) {
            case 401, 403 -> new UnavailableException(at + "; " + key());
            case 404 -> new UnavailableException(at + notFound(models.get()));
            default -> new UnavailableException(at + "; is that an OpenAI-compatible server's URL, with /v1?");
        };
    }

    /**
     * Fails if the model has no vision or accepts fewer images; a retry would not help.
     *
     * @param at server, status and error text, for the message
     * @throws PrpfException 78, naming the setting
     */
    private static void requireImagesAccepted(int images, String at, int status, byte[] body) {
        boolean refused = status == SERVER_ERROR || (status / 100 == CLIENT_ERROR && !BusyException.isBusy(status));
        if (images == 0 || !refused) {
            return;
        }
        if (matches(NO_VISION, body)) {
            throw new InvalidConfigurationException(at + "; its model takes no images, and the request holds " + images
                    + ": set screenshots to ocr (judge: null), or use a vision-language model (llama-server: with"
                    + " --mmproj)");
        }
        if (matches(TOO_MANY_IMAGES, body)) {
            throw new InvalidConfigurationException(at + "; the request holds " + images
                    + " images: set max-screenshots lower, or start the server for more (vLLM:"
                    + " --limit-mm-per-prompt, SGLang: --limit-mm-data-per-request)");
        }
    }

    /** Returns a hint for other errors on requests with images; empty without images. */
    private static String hint(int images) {
        return images == 0
                ? ""
                : ", and it holds " + images + " images: if the server's model has no vision, or takes fewer or"
                        + " smaller images, change screenshots, max-screenshots or max-visual-tokens";
    }

    private boolean isTooLong(byte[] body) {
        String named = settings.tooLongPattern();
        return ChatJson.errorCodes(body).anyMatch(TOO_LONG_CODES::contains)
                || (named != null
                        && Pattern.compile(named)
                                .matcher(new String(body, StandardCharsets.UTF_8))
                                .find())
                || (matches(TOO_LONG, body) && !matches(MAX_TOKENS, body));
    }

    /** Returns advice for status 404; without a list of models the address is probably wrong. */
    private String notFound(@Nullable String models) {
        return models == null
                ? "; it has no list of models either: is that an OpenAI-compatible server's URL, with /v1?"
                : "; the requested model is \"" + model + "\", the server has " + models;
    }

    /**
     * Rejects a replica that does not serve the model.
     *
     * @param models models in its list; empty without a list
     */
    void requireModel(String url, List<String> models) {
        if (!models.isEmpty() && !models.contains(model)) {
            throw new InvalidConfigurationException(url + " does not have the model \"" + model + "\", it has " + models
                    + "; each of server.urls must have it under that name (vLLM and SGLang: --served-model-name,"
                    + " llama-server: --alias), or leave that server out");
        }
    }

    private static boolean matches(Pattern words, byte[] body) {
        return words.matcher(new String(body, StandardCharsets.UTF_8).toLowerCase(Locale.ROOT))
                .find();
    }

    private String key() {
        return settings.apiKeyVariable() == null
                ? "it requires a key: set server.api-key-variable to the name of the environment variable with the key"
                : "the key in the environment variable " + settings.apiKeyVariable() + " is not accepted";
    }

    /** Makes the error after the last attempt, or for a {@code Retry-After} above the longest wait. */
    PrpfException unreachable(String name, IOException last) {
        Duration retryAfter = last instanceof BusyException busy ? busy.retryAfter() : null;
        if (retryAfter != null && retryAfter.toSeconds() > settings.longestWait()) {
            return new UnavailableException(
                    Retrier.reason(last) + "; it requests a wait of " + retryAfter.toSeconds()
                            + " s, server.longest-wait = "
                            + settings.longestWait()
                            + ": the answers so far are saved, run the same command again after that",
                    last);
        }
        return new UnavailableException(
                silent() + " " + name + " after " + (settings.retries() + 1)
                        + " attempts: " + Retrier.reason(last)
                        + "; the answers so far are saved: run the same command again when the server is up",
                last);
    }

    private String silent() {
        List<String> urls = settings.urls();
        return urls.size() == 1 ? urls.get(0) + " does not answer" : "none of the servers " + urls + " answers";
    }
}
