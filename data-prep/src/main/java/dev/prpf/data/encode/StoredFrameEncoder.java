package dev.prpf.data.encode;

import dev.prpf.data.encode.image.FrameEncoder;
import dev.prpf.data.encode.image.OnnxImageEncoder;
import dev.prpf.data.encode.image.Picture;
import dev.prpf.data.encode.image.PictureKeys;
import dev.prpf.data.encode.store.EmbeddingStore;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/** A vision tower behind its store. */
final class StoredFrameEncoder implements FrameEncoder {
    private final OnnxImageEncoder tower;
    private final StoredEncodings<Picture, float[]> stored;

    /** Owns tower and store. */
    StoredFrameEncoder(OnnxImageEncoder tower, EmbeddingStore<float[]> store, PictureKeys keys, int threads) {
        this.tower = tower;
        this.stored = new StoredEncodings<>(
                store,
                keys::of,
                missing -> StoredEncodings.pieces(missing, picture -> 1, OnnxImageEncoder.BATCH * threads),
                pictures -> Arrays.asList(tower.encode(pictures)));
    }

    @Override
    public String id() {
        return tower.id();
    }

    @Override
    public int width() {
        return tower.width();
    }

    @Override
    public OnnxImageEncoder tower() {
        return tower;
    }

    @Override
    public long encoded() {
        return stored.encoded();
    }

    @Override
    public float[][] encode(List<Picture> pictures) {
        return stored.get(pictures).toArray(float[][]::new);
    }

    @Override
    public List<Supplier<float[]>> encodeLazily(List<Picture> pictures) {
        return stored.getLazily(pictures);
    }

    @Override
    public void close() {
        stored.close();
        tower.close();
    }
}
