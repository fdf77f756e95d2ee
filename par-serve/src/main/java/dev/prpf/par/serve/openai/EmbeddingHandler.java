package dev.prpf.par.serve.openai;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.ApiServer;
import dev.prpf.par.serve.http.ClientConnection;
import dev.prpf.par.serve.http.RequestFields;
import io.javalin.http.Context;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** {@code POST /v1/embeddings}. It waits for no generation. Requests take turns, a few texts a turn. */
final class EmbeddingHandler {
    private static final int MOST_TEXTS = 512;
    private static final int MOST_CHARACTERS = 1 << 16; // what some seconds encode
    private static final int SLICE = 16;
    private static final Duration LOOK = Duration.ofMillis(200);
    private static final Duration SOON = Duration.ofSeconds(2);
    private static final List<String> FORMATS = List.of("float", "base64");

    private final List<EmbeddingModel> models;
    private final Limits limits;
    private final Semaphore places;
    private final Semaphore turn = new Semaphore(1, true);

    EmbeddingHandler(List<EmbeddingModel> models, Limits limits) {
        this.models = models;
        this.limits = limits;
        places = new Semaphore(limits.atOnce());
    }

    /**
     * What requests may take.
     *
     * @param atOnce requests that wait or are encoded; further ones are refused (429)
     * @param longest a request may wait and be encoded
     */
    record Limits(int atOnce, Duration longest) {
        static final Limits DEFAULT = new Limits(16, Duration.ofSeconds(60));
    }

    private record Embeddings(String object, List<Embedding> data, String model, Usage usage) {}

    /** @param embedding an array of float32, or text in Base64 of them, little-endian */
    private record Embedding(String object, int index, Object embedding) {}

    private record Usage(int promptTokens, int totalTokens) {}

    void answer(Context context, RequestFields body, Runnable read) {
        EmbeddingModel model = model(body.requiredText("model"));
        List<String> texts = texts(body);
        String format = body.text("encoding_format");
        if (format != null && !FORMATS.contains(format)) {
            throw body.wrong("encoding_format", body.required("encoding_format"), "one of " + FORMATS);
        }
        int width = model.encoder().width();
        body.integer("dimensions", width, width);
        NeutralFields.require(body);
        read.run();
        float[][] vectors = encode(model, texts, new ClientConnection(context));
        boolean packed = "base64".equals(format);
        List<Embedding> data = IntStream.range(0, vectors.length)
                .mapToObj(i -> new Embedding("embedding", i, packed ? base64(vectors[i]) : vectors[i]))
                .toList();
        int tokens = texts.stream().mapToInt(model.tokens()).sum();
        ApiServer.answer(context, 200, new Embeddings("list", data, model.name(), new Usage(tokens, tokens)));
    }

    private float[][] encode(EmbeddingModel model, List<String> texts, ClientConnection client) {
        if (!places.tryAcquire()) {
            throw ApiException.overloaded(
                    SOON, limits.atOnce() + " requests for embeddings are under way; try again later");
        }
        try {
            long end = System.nanoTime() + limits.longest().toNanos();
            List<float[]> vectors = new ArrayList<>();
            for (int from = 0; from < texts.size(); from += SLICE) {
                takeTurn(client, end);
                try {
                    List<String> slice = texts.subList(from, Math.min(texts.size(), from + SLICE));
                    vectors.addAll(List.of(model.encoder().encode(slice)));
                } finally {
                    turn.release();
                }
            }
            return vectors.toArray(float[][]::new); // (N, W)
        } finally {
            places.release();
        }
    }

    /** @throws ApiException 504 if the request's time is over before */
    private void takeTurn(ClientConnection client, long end) {
        boolean mine = false;
        try {
            while (!mine) {
                client.requireOpen();
                if (System.nanoTime() - end >= 0) {
                    throw ApiException.timeout("the texts were not encoded within "
                            + limits.longest().toSeconds() + " s; send fewer");
                }
                mine = turn.tryAcquire(LOOK.toMillis(), TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw ApiException.unavailable(SOON, "the server is shutting down");
        }
    }

    private EmbeddingModel model(String name) {
        List<String> names = models.stream().map(EmbeddingModel::name).toList();
        return models.stream()
                .filter(model -> model.name().equals(name))
                .findFirst()
                .orElseThrow(() -> ApiException.notFound(
                        "model", "model_not_found", "no encoder \"" + name + "\" is served here; there are " + names));
    }

    private static List<String> texts(RequestFields body) {
        JsonNode given = body.required("input");
        List<JsonNode> nodes = given.isTextual() ? List.of(given) : body.list("input");
        boolean right = nodes.stream()
                .allMatch(node -> node.isTextual() && !node.textValue().isEmpty());
        if (!right || nodes.isEmpty() || nodes.size() > MOST_TEXTS) {
            throw ApiException.invalid(
                    "input", "input must be a text or 1 to " + MOST_TEXTS + " texts, none empty; ids are not taken");
        }
        List<String> texts = nodes.stream().map(JsonNode::textValue).toList();
        if (texts.stream().mapToLong(String::length).sum() > MOST_CHARACTERS) {
            throw ApiException.invalid("input", "input has more than " + MOST_CHARACTERS + " characters in all");
        }
        return texts;
    }

    private static String base64(float[] vector) {
        ByteBuffer bytes = ByteBuffer.allocate(vector.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asFloatBuffer().put(vector);
        return Base64.getEncoder().encodeToString(bytes.array());
    }
}
