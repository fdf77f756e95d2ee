package dev.prpf.par.vision;

import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.image.Pixels;
import dev.prpf.data.encode.EncodingCost;
import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.data.encode.image.ImageKeys;
import dev.prpf.data.encode.image.VisionGrid;
import dev.prpf.data.encode.image.VisionPatches;
import dev.prpf.data.encode.image.VisionProcessor;
import dev.prpf.data.encode.spec.VisionPreprocessing;
import dev.prpf.data.encode.store.ContentKey;
import dev.prpf.par.engine.FreeMemory;
import dev.prpf.par.engine.HostValues;
import dev.prpf.par.engine.PictureFeatures;
import dev.prpf.par.engine.PictureGrid;
import dev.prpf.par.engine.TorchRuntime;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
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
public final class ModelPictureEncoder implements PictureEncoder, AutoCloseable {
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
    public ModelPictureEncoder(VisionProcessor processor, VisionTower tower, String towerId, @Nullable Path folder) {
        this(fitting(processor, tower), tower, store(tower, towerId, folder), FreeMemory::bytes);
    }

    private static FeatureStore store(VisionTower tower, String towerId, @Nullable Path folder) {
        String id = towerId + "-" + tower.precision().label();
        return new FeatureStore(id, tower.config().outHiddenSize(), RECENT_BYTES, folder);
    }

    ModelPictureEncoder(
            VisionProcessor processor, VisionTower tower, FeatureStore store, LongUnaryOperator freeMemory) {
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

    @Override
    public Picture picture(ImageFile image, int maxTokens) {
        Pixels.Size size = image.size();
        VisionGrid grid = grid(image, size, maxTokens);
        String content = ContentKey.ofAll(keys.of(List.of(image)));
        String key = ContentKey.ofAll(
                List.of(ContentKey.of(content + " " + processor.id() + " " + grid.rows() + " x " + grid.columns())));
        return new Picture(image, key, new PictureGrid(grid.mergedRows(), grid.mergedColumns()));
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
    public List<PictureFeatures> features(List<Picture> pictures) {
        Map<String, PictureFeatures> known = new LinkedHashMap<>();
        List<Picture> batch = new ArrayList<>();
        List<VisionPatches> patches = new ArrayList<>();
        long batched = 0;
        Map<String, Picture> distinct = new LinkedHashMap<>();
        pictures.forEach(picture -> distinct.putIfAbsent(picture.key(), picture));
        for (Picture picture : distinct.values()) {
            PictureFeatures before = store.get(picture.key(), picture.grid());
            if (before != null) {
                known.put(picture.key(), before);
                continue;
            }
            long own = count(picture);
            if (batched > 0 && batched + own > BATCHED_PATCHES) {
                see(batch, patches, known);
                batched = 0;
            }
            VisionMemory memory = VisionMemory.of(config(), tower.precision(), batched + own);
            memory.requireWithin(freeMemory.applyAsLong(memory.peak()));
            batch.add(picture);
            patches.add(patches(picture));
            batched += own;
        }
        see(batch, patches, known);
        return pictures.stream()
                .map(picture -> Objects.requireNonNull(known.get(picture.key())))
                .toList();
    }

    @Override
    public boolean lacks(Picture picture) {
        return store.get(picture.key(), picture.grid()) == null;
    }

    private static long count(Picture picture) {
        return (long) picture.grid().tokens() * VisionConfig.MERGE * VisionConfig.MERGE;
    }

    /**
     * Returns an image's patches for the vision encoder.
     *
     * @throws PrpfException 65, naming the file, if it cannot be decoded
     */
    public VisionPatches patches(Picture picture) {
        long start = System.nanoTime();
        PictureGrid grid = picture.grid();
        int merge = VisionConfig.MERGE;
        VisionPatches patches = processor.patches(
                picture.image().read(), new VisionGrid(grid.rows() * merge, grid.columns() * merge, merge));
        seconds.add((System.nanoTime() - start) / NANOS);
        return patches;
    }

    @Override
    public EncodingCost cost() {
        return new EncodingCost(flops.sum(), seconds.sum(), 0, 0);
    }

    /** Encodes a batch and empties it. */
    private void see(List<Picture> batch, List<VisionPatches> patches, Map<String, PictureFeatures> known) {
        if (batch.isEmpty()) {
            return;
        }
        long start = System.nanoTime();
        try (PtNDManager scratch = TorchRuntime.newManager()) {
            float[] all = HostValues.floats(tower.forward(scratch, patches));
            seconds.add((System.nanoTime() - start) / NANOS);
            VisionFlops counted = new VisionFlops(config());
            batch.forEach(picture -> flops.add(counted.of(picture.grid())));
            int at = 0;
            for (Picture picture : batch) {
                int end = at + picture.grid().tokens() * config().outHiddenSize();
                PictureFeatures features =
                        new PictureFeatures(picture.key(), picture.grid(), Arrays.copyOfRange(all, at, end));
                store.put(features);
                known.put(picture.key(), features);
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
}
