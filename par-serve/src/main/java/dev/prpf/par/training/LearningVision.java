package dev.prpf.par.training;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.JniUtils;
import dev.prpf.base.files.SafeTensors;
import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.data.encode.image.VisionProcessor.VisionPatches;
import dev.prpf.par.engine.HostValues;
import dev.prpf.par.engine.ImageFeatures;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.Script;
import dev.prpf.par.engine.Tensors;
import dev.prpf.par.engine.TorchRuntime;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.training.TrainingConfig.TrainVision;
import dev.prpf.par.training.TrainingVision.BatchImages;
import dev.prpf.par.training.TrainingVision.FrozenVision;
import dev.prpf.par.vision.VisionConfig;
import dev.prpf.par.vision.VisionEncoder;
import dev.prpf.par.vision.VisionTower;
import dev.prpf.par.vision.VisionTower.VisionWeights;
import dev.prpf.par.vision.VisualPrompt.VisionImage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * A vision encoder that is trained, whole or only its merger. The features are computed again in every step, with float32 master weights as
 * the decoder's.
 */
public final class LearningVision implements TrainingVision, AutoCloseable {
    private static final Script SCRIPT = Script.decoder();
    private static final String FILE = "vision.safetensors";
    /** Number of the merger's weights, which come last in the list of weights. */
    private static final int MERGER = 6;

    private final Path start;
    private final Start before;
    private final boolean whole;
    private final Precision precision;
    private @Nullable VisionWeights weights;
    private boolean hasGradient;

    /**
     * The model's vision before the training.
     *
     * @param encoder for tokens of images, and for features before the training; the caller closes it
     * @param patches of an image by its image processor
     */
    public record Start(VisionEncoder encoder, Function<VisionImage, VisionPatches> patches) {}

    /**
     * @param start directory of the model before the training
     * @param learns merger or all
     * @param precision of the products
     */
    public LearningVision(Path start, Start before, TrainVision learns, Precision precision) {
        if (learns == TrainVision.NONE) {
            throw new IllegalArgumentException("a vision encoder without trained parts is frozen");
        }
        this.start = start;
        this.before = before;
        this.precision = precision;
        whole = learns == TrainVision.ALL;
    }

    @Override
    public LearningVision trainable() {
        return this;
    }

    /**
     * Reads the weights of the encoder.
     *
     * @param checkpoint to resume from; null for the model before the training
     */
    public void open(@Nullable Path checkpoint) {
        close();
        hasGradient = false;
        VisionWeights opened = HuggingFaceDirectory.open(start).visionWeights(Precision.FP32);
        weights = opened;
        if (checkpoint != null) {
            try (SafeTensors saved = SafeTensors.open(checkpoint.resolve(FILE))) {
                parameters()
                        .keySet()
                        .forEach(name -> opened.put(name, Tensors.read(opened.manager(), saved, name, Precision.FP32)));
            }
        }
    }

    private boolean learns(String name) {
        return whole || VisionConfig.ofMerger(name);
    }

    public VisionWeights weights() {
        return Objects.requireNonNull(weights, "the vision encoder was not opened");
    }

    /** Returns the trained arrays by Hugging Face name. */
    public Map<String, PtNDArray> parameters() {
        Map<String, PtNDArray> parameters = new LinkedHashMap<>(weights().arrays());
        parameters.keySet().removeIf(name -> !learns(name));
        return parameters;
    }

    /** Returns whether a batch with images has brought a gradient since the last {@link #gradientUsed}. */
    public boolean hasGradient() {
        return hasGradient;
    }

    /** Records that an optimizer step has used the gradient. */
    public void gradientUsed() {
        hasGradient = false;
    }

    @Override
    public int placeholder() {
        return weights().config().tokens().image();
    }

    @Override
    public VisionImage image(ImageFile image, int maxTokens) {
        return before.encoder().image(image, maxTokens);
    }

    @Override
    public BatchImages seeAtStart(PtNDManager scratch, List<VisionImage> images) {
        return FrozenVision.batch(scratch, before.encoder().features(images), placeholder());
    }

    /** Encodes a batch's images. An image of several examples, such as of all responses to one prompt, is encoded once. */
    @Override
    public BatchImages see(PtNDManager scratch, List<VisionImage> images, boolean learn) {
        PtNDArray computed = computed(scratch, images, learn);
        if (!learn) {
            return new BatchImages(placeholder(), computed, null);
        }
        PtNDArray features = JniUtils.detachGradient(computed);
        features.attach(scratch);
        features.setRequiresGradient(true);
        return new BatchImages(placeholder(), features, gradient -> {
            JniUtils.backward(computed, gradient, false, false);
            hasGradient = true;
        });
    }

    /** Returns the features (tokens, D) float32, with a backward pass if {@code learn}. */
    private PtNDArray computed(PtNDManager scratch, List<VisionImage> images, boolean learn) {
        Map<String, VisionImage> distinct = new LinkedHashMap<>();
        images.forEach(image -> distinct.putIfAbsent(image.key(), image));
        PtNDArray once = distinctly(scratch, List.copyOf(distinct.values()), learn);
        if (distinct.size() == images.size()) {
            return once;
        }
        try {
            JniUtils.setGradMode(learn);
            return SCRIPT.differentiable(scratch, "rows_of", once, rows(scratch, distinct.values(), images));
        } finally {
            JniUtils.setGradMode(false);
        }
    }

    /** Maps the distinct images' features to the rows of all images. */
    private static PtNDArray rows(PtNDManager scratch, Collection<VisionImage> distinct, List<VisionImage> images) {
        Map<String, Integer> begins = new HashMap<>();
        int at = 0;
        for (VisionImage image : distinct) {
            begins.put(image.key(), at);
            at += image.grid().tokens();
        }
        long[] rows = images.stream()
                .flatMapToLong(image -> {
                    int begin = Objects.requireNonNull(begins.get(image.key()));
                    return LongStream.range(begin, begin + image.grid().tokens());
                })
                .toArray();
        return (PtNDArray) scratch.create(rows);
    }

    private PtNDArray distinctly(PtNDManager scratch, List<VisionImage> images, boolean learn) {
        List<VisionPatches> patches = images.stream().map(before.patches()).toList();
        Object[] arguments = VisionTower.arguments(
                scratch, weights().config(), patches, weights().plain(), precision);
        try {
            JniUtils.setGradMode(learn && whole);
            if (whole) {
                return SCRIPT.differentiable(scratch, "vision_tower", arguments);
            }
            PtNDArray states = SCRIPT.differentiable(scratch, "vision_states", arguments);
            PtNDArray[] plain = weights().plain();
            JniUtils.setGradMode(learn);
            return SCRIPT.differentiable(
                    scratch,
                    "vision_merge",
                    states,
                    Arrays.copyOfRange(plain, plain.length - MERGER, plain.length),
                    precision.scalarType());
        } finally {
            JniUtils.setGradMode(false);
        }
    }

    @Override
    public List<ImageFeatures> features(List<VisionImage> images) {
        List<ImageFeatures> features = new ArrayList<>();
        for (VisionImage image : images) {
            try (PtNDManager scratch = TorchRuntime.newManager()) {
                float[] values = HostValues.floats(computed(scratch, List.of(image), false));
                features.add(new ImageFeatures(image.key(), image.grid(), values));
            }
        }
        return features;
    }

    /** Writes the trained arrays, which {@link #open} reads, into a checkpoint. */
    public void save(Path checkpoint) throws IOException {
        Map<String, SafeTensors.Tensor> tensors = new LinkedHashMap<>();
        parameters().forEach((name, array) -> tensors.put(name, Tensors.float32(array)));
        SafeTensors.write(checkpoint.resolve(FILE), tensors, Map.of());
    }

    @Override
    public void close() {
        if (weights != null) {
            weights.close();
            weights = null;
        }
    }
}
