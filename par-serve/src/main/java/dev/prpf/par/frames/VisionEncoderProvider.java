package dev.prpf.par.frames;

import dev.prpf.data.encode.image.ImageEncoderProvider;
import dev.prpf.data.encode.image.ImageEncoderProvider.ImageTower;
import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.data.encode.image.VisionProcessor;
import dev.prpf.par.engine.ImageFeatures;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.vision.ModelVisionEncoder;
import dev.prpf.par.vision.VisionConfig;
import dev.prpf.par.vision.VisionConfig.VisionFlops;
import dev.prpf.par.vision.VisualPrompt.VisionImage;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Lets the gate use a reasoner's vision encoder: opens the vision encoder of a model directory, in float32. */
public final class VisionEncoderProvider implements ImageEncoderProvider {
    private static final String KIND = "vision";
    private static final String PREPROCESSOR = "preprocessor_config.json";

    @Override
    public String kind() {
        return KIND;
    }

    @Override
    public ImageTower open(Path place, int threads) {
        HuggingFaceDirectory model = HuggingFaceDirectory.open(place);
        VisionConfig config = model.requiredVision("frame-encoder " + KIND + ":" + place);
        VisionProcessor processor = VisionProcessor.read(place.resolve(PREPROCESSOR));
        String weights = model.visionSha256();
        String id = KIND + "-fp32-" + config.outHiddenSize() + "-" + weights + "-" + processor.id();
        return new MeanOfPatches(id, config, () -> model.visionEncoder(Precision.FP32, null));
    }

    /**
     * Encodes an image to one vector: the mean of the features that a reasoner's vision encoder computes for its patches. The vision encoder uses
     * several cores itself, so images are encoded one after the other.
     */
    static final class MeanOfPatches implements ImageTower {
        private final String id;
        private final VisionConfig config;
        private final Supplier<ModelVisionEncoder> loader;
        private @Nullable ModelVisionEncoder encoder;
        private double flops;
        private long nanos;

        /** @param loader loads the vision encoder; called once, with the first image */
        MeanOfPatches(String id, VisionConfig config, Supplier<ModelVisionEncoder> loader) {
            this.id = id;
            this.config = config;
            this.loader = loader;
        }

        @Override
        public String id() {
            return id;
        }

        @Override
        public int width() {
            return config.outHiddenSize();
        }

        @Override
        public synchronized float[][] encode(List<ImageFile> images) {
            ModelVisionEncoder loaded = load();
            long start = System.nanoTime();
            try {
                List<VisionImage> unencoded =
                        images.stream().map(image -> loaded.image(image, 0)).toList();
                float[][] vectors = loaded.features(unencoded).stream()
                        .map(MeanOfPatches::mean)
                        .toArray(float[][]::new);
                VisionFlops count = new VisionFlops(config);
                unencoded.forEach(image -> flops += count.of(image.grid()));
                return vectors;
            } finally {
                nanos += System.nanoTime() - start;
            }
        }

        private ModelVisionEncoder load() {
            if (encoder == null) {
                encoder = loader.get();
            }
            return encoder;
        }

        private static float[] mean(ImageFeatures features) {
            int width = features.width();
            float[] mean = new float[width];
            for (int d = 0; d < width; d++) {
                double sum = 0;
                for (int at = d; at < features.values().length; at += width) {
                    sum += features.values()[at];
                }
                mean[d] = (float) (sum / features.grid().tokens());
            }
            return mean;
        }

        /** Computes the operations from shapes, without loading weights. */
        @Override
        public void countEarly() {}

        @Override
        public synchronized double flops() {
            return flops;
        }

        @Override
        public synchronized double seconds() {
            return nanos / 1e9;
        }

        @Override
        public synchronized boolean loaded() {
            return encoder != null;
        }

        @Override
        public synchronized void close() {
            if (encoder != null) {
                encoder.close();
            }
        }
    }
}
