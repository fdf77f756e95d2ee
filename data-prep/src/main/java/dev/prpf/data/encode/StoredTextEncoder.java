package dev.prpf.data.encode;

import dev.prpf.data.encode.store.ContentKey;
import dev.prpf.data.encode.store.EmbeddingStore;
import dev.prpf.data.encode.text.BgeTextEncoder;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A text encoder behind its {@link EmbeddingStore}; the encoder is loaded when the store first lacks something. */
final class StoredTextEncoder implements AutoCloseable {
    /** Characters encoded before they are stored, some seconds' work; so much is lost at most when the process is killed. */
    private static final int PIECE = 1 << 14;

    private final String id;
    private final int width;
    private final EmbeddingStore store;
    private final Supplier<BgeTextEncoder> loader;
    private @Nullable BgeTextEncoder encoder;
    private long encoded;

    private StoredTextEncoder(String id, int width, EmbeddingStore store, Supplier<BgeTextEncoder> loader) {
        this.id = id;
        this.width = width;
        this.store = store;
        this.loader = loader;
    }

    static StoredTextEncoder open(EncoderSettings settings) {
        return open(settings, () -> BgeTextEncoder.load(settings.precision(), settings.longText(), settings.threads()));
    }

    /** For texts that come one by one; see {@link BgeTextEncoder#loadForSingleTexts}. */
    static StoredTextEncoder openForSingleTexts(EncoderSettings settings) {
        return open(
                settings,
                () -> BgeTextEncoder.loadForSingleTexts(settings.precision(), settings.longText(), settings.threads()));
    }

    private static StoredTextEncoder open(EncoderSettings settings, Supplier<BgeTextEncoder> loader) {
        String id = BgeTextEncoder.idOf(settings.precision(), settings.longText());
        int width = BgeTextEncoder.WIDTH;
        return new StoredTextEncoder(id, width, EmbeddingStore.open(settings.store(), id, width), loader);
    }

    String id() {
        return id;
    }

    int width() {
        return width;
    }

    synchronized long shortened() {
        return encoder == null ? 0 : encoder.shortened();
    }

    synchronized long tokens() {
        return encoder == null ? 0 : encoder.tokens();
    }

    synchronized long encoded() {
        return encoded;
    }

    synchronized boolean loaded() {
        return encoder != null;
    }

    /** Encodes and stores what the store lacks. */
    synchronized void fill(Collection<String> texts) {
        List<String> missing = texts.stream()
                .distinct()
                .filter(text -> !store.contains(ContentKey.of(text)))
                .toList();
        pieces(missing).forEach(this::encodeAndStore);
    }

    /** Texts cut into pieces that are stored one after the other. */
    static List<List<String>> pieces(List<String> texts) {
        List<List<String>> pieces = new ArrayList<>();
        int from = 0;
        int characters = 0;
        for (int i = 0; i < texts.size(); i++) {
            characters += texts.get(i).length() + 1;
            if (characters >= PIECE || i == texts.size() - 1) {
                pieces.add(texts.subList(from, i + 1));
                from = i + 1;
                characters = 0;
            }
        }
        return pieces;
    }

    private void encodeAndStore(List<String> chunk) {
        if (encoder == null) {
            encoder = loader.get();
        }
        float[][] vectors = encoder.encode(chunk);
        Map<ContentKey, float[]> entries = new HashMap<>();
        for (int i = 0; i < vectors.length; i++) {
            entries.put(ContentKey.of(chunk.get(i)), vectors[i]);
        }
        store.put(entries);
        encoded += chunk.size();
    }

    /** The vectors of texts, in order, shape (N, E); what is missing is encoded and stored. */
    float[][] encode(List<String> texts) {
        fill(texts);
        Map<String, float[]> vectors = vectors(texts);
        return texts.stream().map(vectors::get).toArray(float[][]::new);
    }

    /** The stored vectors of texts. */
    Map<String, float[]> vectors(Collection<String> texts) {
        Map<String, float[]> vectors = new HashMap<>();
        List<String> absent = new ArrayList<>();
        for (String text : Set.copyOf(texts)) {
            float[] vector = store.get(ContentKey.of(text));
            if (vector == null) {
                absent.add(text);
            } else {
                vectors.put(text, vector);
            }
        }
        if (!absent.isEmpty()) {
            throw new IllegalStateException(absent.size() + " texts were not encoded before they were asked for");
        }
        return vectors;
    }

    @Override
    public synchronized void close() {
        store.close();
        if (encoder != null) {
            encoder.close();
        }
    }
}
