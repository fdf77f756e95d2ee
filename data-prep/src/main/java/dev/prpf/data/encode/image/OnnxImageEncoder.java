package dev.prpf.data.encode.image;

import dev.prpf.base.error.Closing;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.JsonFile;
import dev.prpf.base.image.Pixels;
import dev.prpf.data.encode.image.ImageEncoderProvider.ImageTower;
import dev.prpf.data.encode.spec.ImagePreprocessing;
import dev.prpf.data.encode.store.EmbeddingStore.Vectors;
import dev.prpf.data.onnx.ModelFile;
import dev.prpf.data.onnx.NetworkMeter;
import dev.prpf.data.onnx.OnnxModel;
import dev.prpf.data.onnx.Workers;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Embeds screenshots with a vision encoder in ONNX Runtime, not normalised (f_img of PRPF section 4.1). The network is an ONNX
 * file, or an ONNX graph built from a Hugging Face directory. {@code threads} batches run at once, each reading and resizing its
 * images on one thread. Transparent pixels are composited over white, while PIL drops transparency.
 */
public final class OnnxImageEncoder implements ImageTower {
    /** Images per run: more gain nothing, fewer cost a tenth. */
    public static final int BATCH = 4;

    private final String id;
    private final ImagePreprocessing preprocessing;
    private final Output output;
    private final Supplier<OnnxModel> loader;
    private final Workers workers;
    private final NetworkMeter meter;
    private final AtomicLong nanos = new AtomicLong();
    private @Nullable OnnxModel tower;

    /** @param loader loads a new network on each call */
    private OnnxImageEncoder(
            String id, ImagePreprocessing preprocessing, Output output, Supplier<OnnxModel> loader, int threads) {
        meter = new NetworkMeter(() -> probe(loader));
        this.id = id;
        this.preprocessing = preprocessing;
        this.output = output;
        this.loader = loader;
        this.workers = new Workers("tower", threads);
    }

    /** The network's embedding output: its name, images per run, and floats per embedding. */
    private record Output(String name, int batch, boolean fixedBatch, int width) {}

    /**
     * Opens a vision encoder; the first image loads a directory's weights.
     *
     * @param place a Hugging Face directory or an ONNX file
     * @param family the required family, also assumed for an ONNX file; null for any
     * @param threads batches encoded at once
     * @throws PrpfException 69 if there are no weights, 65 if weights or configuration are invalid
     */
    public static OnnxImageEncoder open(Path place, @Nullable TowerFamily family, int threads) {
        VisionFiles files = VisionFiles.find(place);
        if (files.config() == null) {
            return ofOnnx(files, family, threads);
        }
        ImageEncoderConfig config = ImageEncoderConfig.read(files.config().toString(), JsonFile.object(files.config()));
        if (family != null && family != config.family()) {
            throw new InvalidDataException(
                    files.config() + ": is a " + config.family().label() + " vision encoder, not " + family.label()
                            + ":PATH; name it " + config.family().label() + ":" + place);
        }
        ImageEncoderWeights.open(files.weights())
                .close(); // a network that is too large is rejected before its checksum is computed
        ImagePreprocessing preprocessing = files.preprocessing(config.family(), config.imageSize());
        String id = files.id(config.family().label() + "-fp32", config.width(), config.identity(), preprocessing);
        Output output = new Output(VisionTowerGraph.EMBEDDING, BATCH, false, config.width());
        return new OnnxImageEncoder(id, preprocessing, output, () -> tower(config, files.weights()), threads);
    }

    private static OnnxModel tower(ImageEncoderConfig config, Path file) {
        try (ImageEncoderWeights weights = ImageEncoderWeights.open(file)) {
            ByteBuffer model = VisionTowerGraph.model(config, weights::floats);
            weights.requireAllUsed();
            return OnnxModel.load(file.toString(), model, 1);
        }
    }

    private static OnnxImageEncoder ofOnnx(VisionFiles files, @Nullable TowerFamily family, int threads) {
        return Closing.ifRefused(OnnxModel.load(new ModelFile.OnDisk(files.weights()), 1), tower -> {
            long[] input = tower.floatShape();
            if (input.length != 4 || input[1] != 3 || input[2] != input[3]) {
                throw new InvalidDataException(files.weights() + ": its input has shape " + Arrays.toString(input)
                        + ", must be (images, 3, side, side)");
            }
            ImagePreprocessing preprocessing = files.preprocessing(family, input[2] > 0 ? (int) input[2] : 224);
            String name = tower.outputOfRank(2, VisionTowerGraph.EMBEDDING);
            boolean fixed = input[0] > 0;
            int rows = fixed ? (int) input[0] : 1;
            long[] shape = {rows, 3, preprocessing.side(), preprocessing.side()};
            int width = (int) tower.run(shape, new float[rows * values(preprocessing)], name)
                    .shape()[1];
            String kind = (family == null ? "tower" : family.label()) + "-onnx";
            String id = files.id(kind, width, name, preprocessing);
            Output output = new Output(name, fixed ? rows : BATCH, fixed, width);
            OnnxImageEncoder encoder = new OnnxImageEncoder(
                    id, preprocessing, output, () -> OnnxModel.load(new ModelFile.OnDisk(files.weights()), 1), threads);
            encoder.tower = tower; // so that it is closed
            return encoder;
        });
    }

    private synchronized OnnxModel loadedTower() {
        if (tower == null) {
            meter.loading();
            tower = loader.get();
        }
        return tower;
    }

    /** Runs one image, or a fixed batch, for counting operations. */
    private void probe(Supplier<OnnxModel> loader) {
        try (OnnxModel network = loader.get()) {
            network.run(inputShape(1), new float[rows(1) * values(preprocessing)], output.name());
        }
    }

    private int rows(int images) {
        return output.fixedBatch() ? output.batch() : images; // a fixed batch is padded with empty images
    }

    private long[] inputShape(int images) {
        return new long[] {rows(images), 3, side(), side()};
    }

    @Override
    public void countEarly() {
        meter.countEarly();
    }

    @Override
    public double flops() {
        return meter.flops();
    }

    @Override
    public double seconds() {
        return nanos.get() / 1e9;
    }

    @Override
    public synchronized boolean loaded() {
        return tower != null;
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public int width() {
        return output.width();
    }

    @Override
    public float[][] encode(List<ImageFile> images) {
        loadedTower();
        long start = System.nanoTime();
        try {
            return vectors(images);
        } finally {
            nanos.addAndGet(System.nanoTime() - start);
        }
    }

    private float[][] vectors(List<ImageFile> images) {
        List<List<ImageFile>> batches = new ArrayList<>();
        for (int from = 0; from < images.size(); from += output.batch()) {
            batches.add(images.subList(from, Math.min(images.size(), from + output.batch())));
        }
        return workers.map(batches, this::encodeBatch).stream()
                .flatMap(Arrays::stream)
                .toArray(float[][]::new); // (N, W)
    }

    private float[][] encodeBatch(List<ImageFile> images) {
        float[][] vectors = embeddings(pixelValues(images), images.size());
        for (int i = 0; i < vectors.length; i++) {
            int place = Vectors.firstNotFinite(vectors[i]);
            if (place >= 0) {
                throw new InvalidDataException("image encoder " + id + " gives " + vectors[i][place] + " for "
                        + images.get(i) + " (number " + place
                        + " of its vector); the weights are damaged, download them again");
            }
        }
        return vectors;
    }

    /** Returns the preprocessed pixels of images, shape (B, 3, S, S). */
    public float[] pixelValues(List<ImageFile> images) {
        float[] values = new float[images.size() * values(preprocessing)];
        for (int i = 0; i < images.size(); i++) {
            Pixels image = images.get(i).read();
            PilResize.write(image, preprocessing, values, i * values(preprocessing));
        }
        return values;
    }

    /** Returns S, the side of the network's input images. */
    public int side() {
        return preprocessing.side();
    }

    private static int values(ImagePreprocessing preprocessing) {
        return 3 * preprocessing.side() * preprocessing.side();
    }

    /**
     * Returns the embeddings of preprocessed images, shape (B, W).
     *
     * @param pixelValues shape (B, 3, S, S)
     */
    float[][] embeddings(float[] pixelValues, int images) {
        float[] input = Arrays.copyOf(pixelValues, rows(images) * values(preprocessing));
        FloatBuffer values =
                loadedTower().run(inputShape(images), input, output.name()).values();
        meter.ran(1, output.fixedBatch() ? 1 : images);
        float[][] vectors = new float[images][width()];
        for (float[] vector : vectors) {
            values.get(vector);
        }
        return vectors;
    }

    @Override
    public synchronized void close() {
        workers.close();
        if (tower != null) {
            tower.close();
        }
    }

    /**
     * The files of a vision encoder: a Hugging Face directory (config.json, preprocessor_config.json, model.safetensors) or an ONNX
     * file. Without a preprocessor_config.json next to it, an ONNX file has the published values.
     *
     * @param config the directory's config.json; null for an ONNX file
     * @param preprocessing the preprocessor_config.json; null for an ONNX file without one
     */
    record VisionFiles(Path weights, @Nullable Path config, @Nullable Path preprocessing) {
        private static final String PREPROCESSING = "preprocessor_config.json";

        /** @throws PrpfException 69, naming the missing file */
        static VisionFiles find(Path place) {
            if (Files.isDirectory(place)) {
                Path weights = place.resolve("model.safetensors");
                if (!Files.isRegularFile(weights) && Files.isRegularFile(place.resolve("pytorch_model.bin"))) {
                    throw new UnavailableException(
                            place + ": holds pytorch_model.bin but no model.safetensors; convert it"
                                    + " with transformers' save_pretrained, pickled weights are not read");
                }
                return new VisionFiles(
                        present(weights), present(place.resolve("config.json")), present(place.resolve(PREPROCESSING)));
            }
            Path sibling = place.toAbsolutePath().resolveSibling(PREPROCESSING);
            return new VisionFiles(present(place), null, Files.isRegularFile(sibling) ? sibling : null);
        }

        private static Path present(Path file) {
            if (!Files.isRegularFile(file)) {
                throw new UnavailableException("weights of a vision encoder: " + file
                        + " does not exist; an image encoder clip:PATH, siglip:PATH or"
                        + " tower:PATH needs a Hugging Face directory (config.json, preprocessor_config.json,"
                        + " model.safetensors) or an ONNX file, which no Maven artefact contains; frame-encoder ocr"
                        + " needs neither");
            }
            return file;
        }

        /** Returns the preprocessing for a vision encoder of a family and an input side. */
        ImagePreprocessing preprocessing(@Nullable TowerFamily family, int side) {
            boolean clip = family != TowerFamily.SIGLIP;
            if (preprocessing == null) {
                return clip ? ImagePreprocessing.clip(side) : ImagePreprocessing.siglip(side);
            }
            ImagePreprocessing read =
                    ImagePreprocessing.read(preprocessing.toString(), JsonFile.object(preprocessing), clip);
            if (read.side() != side) {
                throw new InvalidDataException(preprocessing + ": crop_size = " + read.side()
                        + ", the vision encoder of " + weights + " takes images of side " + side);
            }
            return read;
        }

        /**
         * Returns the encoder's id: kind, arithmetic, width, the weights' SHA-256, and eight digits for all other settings that
         * affect vectors.
         *
         * @param kind such as "clip-fp32"; "clip-onnx" if the file defines the arithmetic
         * @param shape the network's shape as text
         */
        String id(String kind, int width, String shape, ImagePreprocessing preprocessing) {
            String settings = shape + " " + preprocessing.identity();
            return kind + "-" + width + "-" + new ModelFile.OnDisk(weights).sha256() + "-"
                    + AtomicFiles.sha256(settings.getBytes(StandardCharsets.UTF_8))
                            .substring(0, 8);
        }
    }
}
