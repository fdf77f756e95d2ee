package dev.prpf.data.encode;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.data.encode.image.Picture;
import dev.prpf.data.encode.image.PictureKeys;
import dev.prpf.data.encode.ocr.ScreenReader;
import dev.prpf.data.encode.store.ContentKey;
import dev.prpf.data.encode.store.ScreenTextStore;
import dev.prpf.data.onnx.Workers;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The screen reader behind its {@link ScreenTextStore}; the models are loaded when a picture was not read before. */
final class StoredScreenReader implements AutoCloseable {
    private final ScreenTextStore store;
    private final PictureKeys keys;
    private final int threads;
    private final Workers workers;
    private @Nullable ScreenReader reader;
    private long read;

    private StoredScreenReader(ScreenTextStore store, PictureKeys keys, int threads) {
        this.store = store;
        this.keys = keys;
        this.threads = threads;
        this.workers = new Workers("screens", threads);
    }

    static StoredScreenReader open(EncoderSettings settings, PictureKeys keys) {
        ScreenTextStore store = ScreenTextStore.open(settings.store(), ScreenReader.ID);
        return new StoredScreenReader(store, keys, settings.threads());
    }

    synchronized long read() {
        return read;
    }

    synchronized boolean loaded() {
        return reader != null;
    }

    /**
     * The texts on pictures, in order. What was not read before is read by all threads, each content once, and stored as soon as it
     * is read.
     */
    synchronized List<String> texts(List<Picture> pictures) {
        Map<ContentKey, Picture> missing = keys.missing(pictures, workers, store::contains);
        if (missing.size() == 1) {
            missing.forEach((key, picture) -> store.put(key, picture.with(reader()::text)));
        } else if (!missing.isEmpty()) {
            ScreenReader shared = reader();
            workers.map(List.copyOf(missing.entrySet()), entry -> {
                store.put(entry.getKey(), entry.getValue().with(shared::textOnOneThread));
                return entry.getKey();
            });
        }
        read += missing.size();
        return pictures.stream().map(this::stored).toList();
    }

    private ScreenReader reader() {
        if (reader == null) {
            reader = ScreenReader.load(threads);
        }
        return reader;
    }

    private String stored(Picture picture) {
        String text = store.get(picture.with(keys::of));
        if (text == null) {
            throw new InvalidDataException(
                    "picture " + picture.file() + " was changed while it was being read; run again");
        }
        return text;
    }

    @Override
    public synchronized void close() {
        workers.close();
        store.close();
        if (reader != null) {
            reader.close();
        }
    }
}
