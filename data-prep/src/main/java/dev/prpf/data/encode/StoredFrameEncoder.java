package dev.prpf.data.encode;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.data.encode.image.ClipFrameEncoder;
import dev.prpf.data.encode.image.FrameEncoder;
import dev.prpf.data.encode.image.Picture;
import dev.prpf.data.encode.image.PictureKeys;
import dev.prpf.data.encode.store.ContentKey;
import dev.prpf.data.encode.store.EmbeddingStore;
import dev.prpf.data.onnx.Workers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A frame encoder behind its {@link EmbeddingStore}. What is new is stored every few pictures, so a kill loses little. */
final class StoredFrameEncoder implements FrameEncoder {
    private final FrameEncoder encoder;
    private final EmbeddingStore store;
    private final PictureKeys keys;
    private final Workers workers;
    private final int pieceLength;
    private long encoded;

    /** Owns encoder and store. */
    StoredFrameEncoder(FrameEncoder encoder, EmbeddingStore store, PictureKeys keys, int threads) {
        this.encoder = encoder;
        this.store = store;
        this.keys = keys;
        this.workers = new Workers("pictures", threads);
        this.pieceLength = ClipFrameEncoder.BATCH * threads;
    }

    @Override
    public String id() {
        return encoder.id();
    }

    @Override
    public int width() {
        return encoder.width();
    }

    /** How many pictures went through the encoder, what the store had not counted. */
    synchronized long encoded() {
        return encoded;
    }

    @Override
    public synchronized float[][] encode(List<Picture> pictures) {
        Map<ContentKey, Picture> missing = keys.missing(pictures, workers, store::contains);
        for (List<Map.Entry<ContentKey, Picture>> piece :
                PictureKeys.pieces(List.copyOf(missing.entrySet()), pieceLength)) {
            encodeAndStore(piece);
        }
        float[][] vectors = new float[pictures.size()][];
        for (int i = 0; i < vectors.length; i++) {
            vectors[i] = stored(pictures.get(i));
        }
        return vectors;
    }

    private void encodeAndStore(List<Map.Entry<ContentKey, Picture>> piece) {
        List<Picture> pictures = new ArrayList<>();
        piece.forEach(entry -> pictures.add(entry.getValue()));
        float[][] vectors = encoder.encode(pictures);
        Map<ContentKey, float[]> entries = new HashMap<>();
        for (int i = 0; i < vectors.length; i++) {
            entries.put(piece.get(i).getKey(), vectors[i]);
        }
        store.put(entries);
        encoded += vectors.length;
    }

    private float[] stored(Picture picture) {
        float[] vector = store.get(picture.with(keys::of));
        if (vector == null) {
            throw new InvalidDataException(
                    "picture " + picture.file() + " was changed while it was being encoded; run again");
        }
        return vector;
    }

    @Override
    public void close() {
        workers.close();
        store.close();
        encoder.close();
    }
}
