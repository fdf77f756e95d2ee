package dev.prpf.par.serve.openai;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.data.encode.text.TextEncoder.TokenEncoder;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.ApiServer;
import dev.prpf.par.serve.http.ClientConnection;
import dev.prpf.par.serve.http.FairGate;
import dev.prpf.par.serve.http.KeyShare;
import dev.prpf.par.serve.http.RequestFields;
import dev.prpf.par.serve.http.ServerMetrics;
import dev.prpf.par.serve.openai.ChatCompletion.Usage;
import dev.prpf.par.serve.openai.OpenAiRoutes.EmbeddingModel;
import io.javalin.http.Context;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.stream.IntStream;

/**
 * Handles {@code POST /v1/embeddings}, independent of generations. A turn of an API key encodes a few short texts, or a window of a long one. With
 * several keys the turns of two keys run at a time, so that a short text does not wait for another key's window.
 */
final class EmbeddingHandler {
    private static final int MOST_TEXTS = 512;
    private static final int MOST_CHARACTERS = 1 << 16; // encoded within seconds; the same limit for token ids
    private static final Duration SOON = Duration.ofSeconds(2);
    private static final List<String> FORMATS = List.of("float", "base64");

    private final EmbeddingModel model;
    private final Limits limits;
    private final FairGate requests;
    private final FairGate turns;

    EmbeddingHandler(EmbeddingModel model, Limits limits, ServerMetrics metrics) {
        this.model = model;
        this.limits = limits;
        FairGate.Refusals refusals = limits.refusals();
        int running = Math.max(1, limits.atOnce() / 2);
        requests = new FairGate(
                new FairGate.Limits(metrics.share(running), limits.atOnce() - running, limits.longest()), refusals);
        KeyShare share = metrics.share(2);
        turns = new FairGate(
                share.reserving()
                        ? new FairGate.Limits(share, limits.atOnce(), limits.longest())
                        : FairGate.Limits.single(limits.atOnce(), limits.longest()),
                refusals);
    }

    /**
     * Limits of embedding requests.
     *
     * @param atOnce requests that wait or run; further ones are refused (429)
     * @param longest time of a request, waiting and encoding together
     */
    record Limits(int atOnce, Duration longest) {
        static final Limits DEFAULT = new Limits(32, Duration.ofSeconds(60));

        private FairGate.Refusals refusals() {
            return new FairGate.Refusals(
                    () -> ApiException.timeout(
                            "the texts were not encoded within " + longest.toSeconds() + " s; send fewer"),
                    waiting -> ApiException.overloaded(
                            SOON,
                            "your share of " + atOnce
                                    + " concurrent requests for embeddings is in use; try again later"));
        }
    }

    private record Embeddings(String object, List<Embedding> data, String model, Usage usage) {}

    /** @param embedding an array of float32, or text in Base64 of them, little-endian */
    private record Embedding(String object, int index, Object embedding) {}

    private record Usage(int promptTokens, int totalTokens) {}

    /**
     * Texts, or the token ids of texts.
     *
     * @param tokens of all inputs, with special tokens
     * @param encoder takes a function that runs a part in its turn
     */
    private record Input(IntSupplier tokens, Function<Consumer<Runnable>, float[][]> encoder) {}

    void answer(Context context, RequestFields body, Runnable read) {
        String name = body.requiredText("model");
        if (!model.name().equals(name)) {
            throw ApiException.notFound(
                    "model",
                    "model_not_found",
                    "no encoder \"" + name + "\" is served here; there are [" + model.name() + "]");
        }
        Input input = input(body, model.encoder());
        String format = body.text("encoding_format");
        if (format != null && !FORMATS.contains(format)) {
            throw body.wrong("encoding_format", body.required("encoding_format"), "one of " + FORMATS);
        }
        int width = model.encoder().width();
        body.integer("dimensions", width, width);
        NeutralFields.require(body);
        read.run();
        float[][] vectors = encode(input, context);
        boolean packed = "base64".equals(format);
        List<Embedding> data = IntStream.range(0, vectors.length)
                .mapToObj(i -> new Embedding("embedding", i, packed ? base64(vectors[i]) : vectors[i]))
                .toList();
        int tokens = input.tokens().getAsInt();
        ApiServer.answer(context, 200, new Embeddings("list", data, model.name(), new Usage(tokens, tokens)));
    }

    private float[][] encode(Input input, Context context) {
        String caller = ApiServer.caller(context);
        ClientConnection client = new ClientConnection(context);
        Runnable waiting = FairGate.within(
                limits.longest(), client::requireOpen, limits.refusals().late());
        return requests.turn(caller, client::requireOpen, () -> input.encoder()
                .apply(part -> turns.turn(caller, waiting, () -> {
                    part.run();
                    return part;
                })));
    }

    private static Input input(RequestFields body, TokenEncoder encoder) {
        JsonNode given = body.required("input");
        List<JsonNode> all = given.isTextual() ? List.of(given) : body.list("input");
        List<JsonNode> nodes = all.stream().allMatch(JsonNode::isNumber) ? List.of(given) : all;
        boolean asIds = nodes.stream().allMatch(JsonNode::isArray);
        boolean right = asIds || nodes.stream().allMatch(JsonNode::isTextual);
        boolean full =
                nodes.stream().noneMatch(node -> node.isEmpty() && node.asText().isEmpty());
        if (!right || !full || nodes.size() > MOST_TEXTS) {
            throw ApiException.invalid(
                    "input",
                    "input must be a text, an array of token ids, or an array of 1 to " + MOST_TEXTS
                            + " of either, none empty");
        }
        if (nodes.stream()
                        .mapToLong(
                                node -> asIds ? node.size() : node.textValue().length())
                        .sum()
                > MOST_CHARACTERS) {
            throw ApiException.invalid(
                    "input", "input has more than " + MOST_CHARACTERS + " characters or token ids in all");
        }
        if (asIds) {
            List<long[]> ids = nodes.stream()
                    .map(node -> GenerationFields.ids("input", node, encoder.vocabularySize()))
                    .toList();
            return new Input(() -> ids.stream().mapToInt(encoder::tokensOf).sum(), turn -> ids.stream()
                    .map(one -> encoder.encodeIds(one, turn))
                    .toArray(float[][]::new)); // (N, W)
        }
        List<String> texts = nodes.stream().map(JsonNode::textValue).toList();
        return new Input(() -> texts.stream().mapToInt(encoder::tokensOf).sum(), turn -> encoder.encode(texts, turn));
    }

    private static String base64(float[] vector) {
        ByteBuffer bytes = ByteBuffer.allocate(vector.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asFloatBuffer().put(vector);
        return Base64.getEncoder().encodeToString(bytes.array());
    }
}
