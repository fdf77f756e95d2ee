package dev.prpf.par.vision;

import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.image.Pixels;
import dev.prpf.data.encode.EncodingCost;
import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.data.encode.image.ImageKeys;
import dev.prpf.data.encode.image.VisionProcessor;
import dev.prpf.data.encode.image.VisionProcessor.VisionGrid;
import dev.prpf.data.encode.image.VisionProcessor.VisionPatches;
import dev.prpf.data.encode.spec.VisionPreprocessing;
import dev.prpf.data.encode.store.ContentKey;
import dev.prpf.data.encode.store.EmbeddingStore;
import dev.prpf.data.encode.store.EmbeddingStore.StorePlace;
import dev.prpf.par.engine.FreeMemory;
import dev.prpf.par.engine.HostValues;
import dev.prpf.par.engine.ImageFeatures;
import dev.prpf.par.engine.ImageFeatures.ImageGrid;
import dev.prpf.par.engine.TorchRuntime;
import dev.prpf.par.vision.VisionConfig.VisionFlops;
import dev.prpf.par.vision.VisionTower.VisionMemory;
import dev.prpf.par.vision.VisualPrompt.VisionImage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A model's image processor and vision encoder. Small images are encoded together; features are cached ({@link FeatureStore}). Thread-safe; two
 * concurrent calls for the same image may both compute it.
 */
public final class ModelVisionEncoder implements VisionEncoder, AutoCloseable {
    private static final double NANOS = 1e9;

    /** Most patches that are encoded together, unless one image has more. */
    public static final int BATCHED_PATCHES = 4096;

    /** Bytes of features cached in memory. */
    private static final long RECENT_BYTES = 256L << 20;

    private final VisionProcessor processor;
    private final VisionTower tower;
    private final FeatureStore store;
    private final ImageKeys keys;
    private final LongUnaryOperator freeMemory;
    private final DoubleAdder flops = new DoubleAdder();
    private final DoubleAdder seconds = new DoubleAdder();

    /**
     * @param tower vision encoder, closed with this
     * @param towerId identity of the weights
     * @param folder where features are stored; null for in memory only
     * @throws PrpfException 65 if the folder's file is another encoder's, 69 if it cannot be opened
     */
    public ModelVisionEncoder(VisionProcessor processor, VisionTower tower, String towerId, @Nullable Path folder) {
        this(fitting(processor, tower), tower, store(tower, towerId, folder), FreeMemory::bytes);
    }

    private static FeatureStore store(VisionTower tower, String towerId, @Nullable Path folder) {
        String id = towerId + "-" + tower.precision().label();
        return new FeatureStore(id, tower.config().outHiddenSize(), RECENT_BYTES, folder);
    }

    ModelVisionEncoder(VisionProcessor processor, VisionTower tower, FeatureStore store, LongUnaryOperator freeMemory) {
        this.processor = processor;
        this.tower = tower;
        this.store = store;
        keys = new ImageKeys(1);
        this.freeMemory = freeMemory;
    }

    /** Returns the processor, if its patches fit the vision encoder. Called before the store is opened, which would stay open. */
    private static VisionProcessor fitting(VisionProcessor processor, VisionTower tower) {
        requireFit(processor.preprocessing(), tower.config());
        return processor;
    }

    private static void requireFit(VisionPreprocessing made, VisionConfig taken) {
        if (made.patch() != taken.patchSize()
                || made.merge() != VisionConfig.MERGE
                || made.frames() != VisionConfig.FRAMES) {
            throw new InvalidDataException("preprocessor_config.json makes patches of " + made.patch()
                    + " pixels, merged by " + made.merge() + ", in " + made.frames()
                    + " frames; the vision encoder of config.json takes " + taken.patchSize() + ", "
                    + VisionConfig.MERGE + " and " + VisionConfig.FRAMES + ": the two are of different models");
        }
    }

    /** Returns the shape of the model's vision encoder. */
    public VisionConfig config() {
        return tower.config();
    }

    /** Returns the id of the placeholder token for one token of an image. */
    public int placeholder() {
        return config().tokens().image();
    }

    @Override
    public VisionImage image(ImageFile image, int maxTokens) {
        Pixels.Size size = image.size();
        VisionGrid grid = grid(image, size, maxTokens);
        String content = ContentKey.ofAll(keys.of(List.of(image)));
        String key = ContentKey.ofAll(
                List.of(ContentKey.of(content + " " + processor.id() + " " + grid.rows() + " x " + grid.columns())));
        return new VisionImage(image, key, new ImageGrid(grid.mergedRows(), grid.mergedColumns()));
    }

    private VisionGrid grid(ImageFile image, Pixels.Size size, int maxTokens) {
        try {
            return processor.grid(size.width(), size.height(), maxTokens);
        } catch (PrpfException e) {
            PrpfException named = e.at(image.toString());
            throw image.owner().isEmpty() ? named : named.at("sample " + image.owner());
        }
    }

    @Override
    public List<ImageFeatures> features(List<VisionImage> images) {
        Map<String, ImageFeatures> known = new LinkedHashMap<>();
        List<VisionImage> batch = new ArrayList<>();
        List<VisionPatches> patches = new ArrayList<>();
        long batched = 0;
        Map<String, VisionImage> distinct = new LinkedHashMap<>();
        images.forEach(image -> distinct.putIfAbsent(image.key(), image));
        for (VisionImage image : distinct.values()) {
            ImageFeatures before = store.get(image.key(), image.grid());
            if (before != null) {
                known.put(image.key(), before);
                continue;
            }
            long own = count(image);
            if (batched > 0 && batched + own > BATCHED_PATCHES) {
                see(batch, patches, known);
                batched = 0;
            }
            VisionMemory memory = VisionMemory.of(config(), tower.precision(), batched + own);
            memory.requireWithin(freeMemory.applyAsLong(memory.peak()));
            batch.add(image);
            patches.add(patches(image));
            batched += own;
        }
        see(batch, patches, known);
        return images.stream()
                .map(image -> Objects.requireNonNull(known.get(image.key())))
                .toList();
    }

    @Override
    public boolean lacks(VisionImage image) {
        return store.get(image.key(), image.grid()) == null;
    }

    private static long count(VisionImage image) {
        return (long) image.grid().tokens() * VisionConfig.MERGE * VisionConfig.MERGE;
    }

    /**
     * Returns an image's patches for the vision encoder.
     *
     * @throws PrpfException 65, naming the file, if it cannot be decoded
     */
    public VisionPatches patches(VisionImage image) {
        long start = System.nanoTime();
        ImageGrid grid = image.grid();
        int merge = VisionConfig.MERGE;
        VisionPatches patches = processor.patches(
                image.image().read(), new VisionGrid(grid.rows() * merge, grid.columns() * merge, merge));
        seconds.add((System.nanoTime() - start) / NANOS);
        return patches;
    }

    @Override
    public EncodingCost cost() {
        return new EncodingCost(flops.sum(), seconds.sum(), 0, 0);
    }

    /** Encodes a batch and empties it. */
    private void see(List<VisionImage> batch, List<VisionPatches> patches, Map<String, ImageFeatures> known) {
        if (batch.isEmpty()) {
            return;
        }
        long start = System.nanoTime();
        try (PtNDManager scratch = TorchRuntime.newManager()) {
            float[] all = HostValues.floats(tower.forward(scratch, patches));
            seconds.add((System.nanoTime() - start) / NANOS);
            VisionFlops counted = new VisionFlops(config());
            batch.forEach(image -> flops.add(counted.of(image.grid())));
            int at = 0;
            for (VisionImage image : batch) {
                int end = at + image.grid().tokens() * config().outHiddenSize();
                ImageFeatures features = new ImageFeatures(image.key(), image.grid(), Arrays.copyOfRange(all, at, end));
                store.put(features);
                known.put(image.key(), features);
                at = end;
            }
        }
        batch.clear();
        patches.clear();
    }

    @Override
    public void close() {
        keys.close();
        store.close();
        tower.close();
    }

    /**
     * Cached features of images: the last ones in memory and, with a folder, all of them on disk. The folder has one file per vision encoder, which
     * several processes may share. An image is stored in parts of some tokens, so that parts have a moderate size for any image.
     */
    static final class FeatureStore implements AutoCloseable {
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
}
