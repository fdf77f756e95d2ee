package dev.prpf.par.training;

import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.JniUtils;
import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.data.encode.spec.VisionPreprocessing;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.ModelInit;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.TinyModels;
import dev.prpf.par.engine.TorchRuntime;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.sets.SftExample;
import dev.prpf.par.training.TrainingConfig.AdamWSettings;
import dev.prpf.par.training.TrainingConfig.ComputeSettings;
import dev.prpf.par.training.TrainingConfig.TrainVision;
import dev.prpf.par.training.TrainingVision.BatchImages;
import dev.prpf.par.training.TrainingVision.FrozenVision;
import dev.prpf.par.vision.ModelVisionEncoder;
import dev.prpf.par.vision.VisionConfig;
import dev.prpf.par.vision.VisionConfig.VisionFamily;
import dev.prpf.par.vision.VisionConfig.VisionTokens;
import dev.prpf.par.vision.VisionTower.VisionWeights;
import dev.prpf.par.vision.VisualPrompt.VisionImage;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import javax.imageio.ImageIO;

/**
 * Trains on images and prints each term's estimate and the measured bytes. The decoder is small; the vision encoder is large enough for
 * {@link TowerMemory} to be seen in the resident memory.
 */
final class VisionTermsWork {
    private static final AdamWSettings ADAMW = new AdamWSettings(0.9, 0.99, 1e-8, 0);
    private static final int WIDTH = 512;
    private static final VisionTokens TOKENS = new VisionTokens(1, 2, 3, 4);
    /** Images of a batch, of 1,536 patches each. */
    private static final int SHOWN = 2;

    private static final int ROWS = 32;
    private static final int COLUMNS = 48;

    private final Path folder;
    private final ResidentTerms terms;
    private final VisionConfig tower;
    private final DecoderConfig model;
    private final TrainVision learns;
    private final Precision precision;
    private int batches;

    /** @param name such as {@code merger-bf16}, or {@code merger-bf16-windows} for Qwen2.5-VL */
    private VisionTermsWork(Path folder, String name) {
        this.folder = folder;
        terms = new ResidentTerms(name);
        String[] words = name.toUpperCase(Locale.ROOT).split("-", -1);
        learns = TrainVision.valueOf(words[0]);
        precision = Precision.valueOf(words[1]);
        tower = words.length == 2
                ? new VisionConfig(4, WIDTH, 4 * WIDTH, 8, 16, 2304, WIDTH, 10_000, TOKENS)
                : new VisionConfig(
                        VisionFamily.QWEN2_5_VL, 4, WIDTH, 2 * WIDTH, 8, 14, 0, 112, List.of(3), WIDTH, 10_000, TOKENS);
        model = TinyModels.seeing(tower.family().decoder(), WIDTH);
    }

    /** @param arguments a folder for files, and the name of a training */
    public static void main(String[] arguments) throws IOException {
        VisionTermsWork work = new VisionTermsWork(Path.of(arguments[0]), arguments[1]);
        work.write();
        work.run();
    }

    private void write() throws IOException {
        try (DecoderWeights weights = ModelInit.drawn(model);
                VisionWeights vision = VisionWeights.drawn(tower)) {
            HuggingFaceDirectory.write(folder, weights, vision, null);
        }
        List<Double> half = List.of(0.5, 0.5, 0.5);
        VisionPreprocessing processor = new VisionPreprocessing(
                tower.patchSize(), VisionConfig.MERGE, VisionConfig.FRAMES, 1, 1 << 20, half, half);
        Files.writeString(
                folder.resolve("preprocessor_config.json"), processor.json().toString());
    }

    /** Trains twice: the first training compiles the kernels of all shapes. */
    private void run() throws IOException {
        train(new ResidentTerms("warm-" + terms.name()));
        train(terms);
    }

    private void train(ResidentTerms measured) throws IOException {
        HuggingFaceDirectory directory = HuggingFaceDirectory.open(folder);
        long start = ResidentTerms.resident();
        try (ModelVisionEncoder encoder = directory.visionEncoder(precision, null);
                TrainableDecoder decoder = TrainableDecoder.full(directory.weights(Precision.FP32), vision(encoder))) {
            SftConfig config = TrainingMemoryTest.sft(SHOWN, precision, false, null, learns);
            TrainingMemory estimate =
                    SftMemory.of(config, new TrainingMemory.Estimator(config, model, tower), batch(encoder));
            long loaded = measured.print("weights", estimate.held().weights(), start);
            FusedAdamW optimizer = FusedAdamW.fresh(decoder, ADAMW);
            long optimised = measured.print("moments", estimate.held().moments(), loaded);
            SftLoss loss = new SftLoss(decoder, new ComputeSettings(precision, false, false));
            loss.backward(batch(encoder), 1);
            optimizer.step(1e-4, 1);
            long stepped = measured.print("gradients", estimate.held().gradients(), optimised);
            List<SftExample> second = batch(encoder);
            measured.peak("images", estimate.batch().images(), stepped, () -> see(decoder, second));
            // a frozen encoder is done before the decoder begins, so there the sum of all terms is an upper bound
            if (learns != TrainVision.NONE) {
                List<SftExample> third = batch(encoder);
                measured.peak("whole", estimate.held().bytes() + estimate.update(), start, () -> {
                    loss.backward(third, 1);
                    optimizer.step(1e-4, 1);
                });
            }
        }
    }

    private TrainingVision vision(ModelVisionEncoder encoder) {
        if (learns == TrainVision.NONE) {
            return new FrozenVision(encoder, TOKENS.image());
        }
        LearningVision vision =
                new LearningVision(folder, new LearningVision.Start(encoder, encoder::patches), learns, precision);
        vision.open(null);
        return vision;
    }

    /** Returns examples of new images: a frozen encoder caches features. */
    private List<SftExample> batch(ModelVisionEncoder encoder) throws IOException {
        List<SftExample> examples = new ArrayList<>();
        for (int i = 0; i < SHOWN; i++) {
            int side = tower.patchSize();
            BufferedImage drawn = new BufferedImage(COLUMNS * side, ROWS * side, BufferedImage.TYPE_INT_RGB);
            drawn.setRGB(i, batches, 0xffffff);
            Path file = folder.resolve(batches + "-" + i + ".png");
            ImageIO.write(drawn, "png", file.toFile());
            VisionImage image = encoder.image(ImageFile.of(file), 0);
            long[] prompt = new long[image.grid().tokens() + 2];
            Arrays.fill(prompt, TOKENS.image());
            prompt[0] = TOKENS.start();
            prompt[prompt.length - 1] = TOKENS.end();
            examples.add(new SftExample(prompt, new long[] {5, 6, 7}, List.of(image)));
        }
        batches++;
        return examples;
    }

    /** Makes the two parts of a step that images take, before and after the decoder's. */
    private static void see(TrainableDecoder decoder, List<SftExample> examples) {
        try (PtNDManager scratch = TorchRuntime.newManager()) {
            BatchImages seen = decoder.images(scratch, examples, true);
            if (seen.tower() != null) {
                try (PtNDArray gradient = (PtNDArray)
                        scratch.ones(new Shape(seen.features().getShape().getShape()))) {
                    JniUtils.backward(seen.features(), gradient, false, false);
                }
                seen.backward();
            }
        }
    }
}
