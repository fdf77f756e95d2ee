package dev.prpf.data.encode.store;

import dev.prpf.data.encode.ocr.ScreenReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What was read on pictures, on disk, found by the picture's bytes: no picture is read twice. Otherwise as {@link EmbeddingStore}. */
public final class ScreenTextStore implements AutoCloseable {
    private final ContentStore store;

    private ScreenTextStore(ContentStore store) {
        this.store = store;
    }

    /**
     * Opens or makes the store of one reader.
     *
     * @param directory holds one file a reader
     * @param readerId see {@link ScreenReader#ID}
     */
    public static ScreenTextStore open(Path directory, String readerId) {
        return new ScreenTextStore(
                ContentStore.open(directory.resolve(EmbeddingStore.fileName(readerId) + ".texts"), readerId));
    }

    /** How many pictures' texts it holds. */
    public int size() {
        return store.size();
    }

    public boolean contains(ContentKey picture) {
        return store.contains(picture);
    }

    /** The text, or null when the picture was not read yet. */
    public @Nullable String get(ContentKey picture) {
        byte[] payload = store.get(picture);
        return payload == null ? null : new String(payload, StandardCharsets.UTF_8);
    }

    /** Adds one picture's text. */
    public void put(ContentKey picture, String text) {
        store.put(Map.of(picture, text.getBytes(StandardCharsets.UTF_8)));
    }

    @Override
    public void close() {
        store.close();
    }
}
