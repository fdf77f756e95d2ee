package dev.prpf.par.vision;

import dev.prpf.base.error.PrpfException;
import dev.prpf.data.encode.store.ContentKey;
import dev.prpf.data.encode.store.EmbeddingStore;
import dev.prpf.data.encode.store.EmbeddingStore.StorePlace;
import dev.prpf.par.engine.ImageFeatures;
import dev.prpf.par.engine.ImageFeatures.ImageGrid;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Cached features of images: the last ones in memory and, with a folder, all of them on disk. The folder has one file per vision encoder, which
 * several processes may share. An image is stored in parts of some tokens, so that parts have a moderate size for any image.
 */
final class FeatureStore implements AutoCloseable {
    private static final int PART_BYTES = 1 << 22;

    private final int width;
    private final EmbeddingStore<float[]> recent;
    private final @Nullable EmbeddingStore<float[]> kept;

    /**
     * @param towerId identity of the weights and the precision
     * @param width D
     * @param bytes of features in memory
     * @param folder where they are stored; null for in memory only
     * @throws PrpfException 65 if the folder's file is another encoder's, 69 if it cannot be opened
     */
    FeatureStore(String towerId, int width, long bytes, @Nullable Path folder) {
        this.width = width;
        recent = EmbeddingStore.ofMatrices(new StorePlace.Memory(bytes), towerId, width);
        kept = folder == null ? null : EmbeddingStore.ofMatrices(new StorePlace.Folder(folder), towerId, width);
    }

    /** Returns cached features, or null. */
    @Nullable
    ImageFeatures get(String key, ImageGrid grid) {
        float[] values = read(recent, key, grid);
        if (values == null && kept != null) {
            values = read(kept, key, grid);
            if (values != null) {
                recent.put(parts(key, values));
            }
        }
        return values == null ? null : new ImageFeatures(key, grid, values);
    }

    private float @Nullable [] read(EmbeddingStore<float[]> store, String key, ImageGrid grid) {
        float[] values = new float[Math.multiplyExact(grid.tokens(), width)];
        int at = 0;
        while (at < values.length) {
            float[] part = store.get(partKey(key, at));
            if (part == null || part.length > values.length - at) {
                return null;
            }
            System.arraycopy(part, 0, values, at, part.length);
            at += part.length;
        }
        return values;
    }

    void put(ImageFeatures features) {
        Map<ContentKey, float[]> parts = parts(features.key(), features.values());
        recent.put(parts);
        if (kept != null) {
            kept.put(parts);
        }
    }

    private Map<ContentKey, float[]> parts(String key, float[] values) {
        int most = Math.max(1, PART_BYTES / Float.BYTES / width) * width;
        Map<ContentKey, float[]> parts = new HashMap<>();
        for (int at = 0; at < values.length; at += most) {
            parts.put(partKey(key, at), Arrays.copyOfRange(values, at, Math.min(values.length, at + most)));
        }
        return parts;
    }

    private static ContentKey partKey(String key, int at) {
        return ContentKey.of(key + "/" + at);
    }

    @Override
    public void close() {
        recent.close();
        if (kept != null) {
            kept.close();
        }
    }
}
