package dev.prpf.par.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.base.command.ResultStream;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.data.encode.image.VisionProcessor;
import dev.prpf.data.encode.spec.EncoderSpec.LongText;
import dev.prpf.data.encode.spec.ShippedEncoders;
import dev.prpf.par.chat.ChatTemplates;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DecoderConfig.Mixer;
import dev.prpf.par.engine.ImageFeatures;
import dev.prpf.par.engine.ImageFeatures.ImageGrid;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.tokenizer.Tokenizer;
import dev.prpf.par.vision.ModelVisionEncoder;
import dev.prpf.par.vision.VisionConfig;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code reasoner init --vision}, and its tower as a perceiver's encoder. */
class InitVisionTest {
    private static final Path CONFIGS = Path.of(System.getProperty("prpf.root", ".."), "configs");
    private static final Path SHIPPED = CONFIGS.resolve("reasoner-init-vision.yaml");

    @TempDir
    Path folder;

    private int status;

    private String init(Path out, Path config, String... more) throws IOException {
        Path text = Files.writeString(folder.resolve("text.txt"), "打开设置，关闭蓝牙。蓝牙已打开。设置蓝牙。");
        List<String> line = new ArrayList<>(
                List.of("--config", config.toString(), "--text", text.toString(), "--out", out.toString()));
        line.addAll(List.of(more));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream before = ResultStream.redirect(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        try {
            CommandLine command = new CommandLine(new ReasonerInitCommand());
            command.setExecutionExceptionHandler((e, c, p) -> {
                ResultStream.line(String.valueOf(e.getMessage()));
                return e instanceof PrpfException known ? ExitCode.of(known).status() : 1;
            });
            status = command.execute(line.toArray(new String[0]));
        } finally {
            ResultStream.redirect(before);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private Path model(String... more) throws IOException {
        Path out = folder.resolve("model" + more.length);
        List<String> all = new ArrayList<>(List.of("--vision"));
        all.addAll(List.of(more));
        assertThat(init(out, SHIPPED, all.toArray(new String[0]))).contains("parameters");
        assertThat(status).isZero();
        return out;
    }

    /** Draws a screen with a red upper or lower half. */
    private ImageFile screen(boolean upper) throws IOException {
        BufferedImage image = new BufferedImage(160, 320, BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = image.createGraphics();
        graphics.setColor(Color.WHITE);
        graphics.fillRect(0, 0, 160, 320);
        graphics.setColor(Color.RED);
        graphics.fillRect(0, upper ? 0 : 160, 160, 160);
        graphics.dispose();
        Path file = folder.resolve(upper + ".png");
        ImageIO.write(image, "png", file.toFile());
        return ImageFile.of(file);
    }

    private List<ImageFeatures> features(Path model) throws IOException {
        try (ModelVisionEncoder encoder = HuggingFaceDirectory.open(model).visionEncoder(Precision.FP32, null)) {
            return encoder.features(List.of(encoder.image(screen(true), 0), encoder.image(screen(false), 0)));
        }
    }

    private static double rms(float[] values) {
        double sum = 0;
        for (float value : values) {
            sum += (double) value * value;
        }
        return Math.sqrt(sum / values.length);
    }

    @Test
    void theModelHasATowerPlaceholdersAndAProcessor() throws IOException {
        Path model = model();
        HuggingFaceDirectory directory = HuggingFaceDirectory.open(model);
        VisionConfig vision = Objects.requireNonNull(directory.vision());
        assertThat(vision.outHiddenSize()).isEqualTo(directory.config().hiddenSize());
        assertThat(directory.config().attention().ropeSections()).containsExactly(6, 5, 5);
        try (Tokenizer tokenizer = Tokenizer.load(model)) {
            assertThat(tokenizer.encodeControl("<|vision_start|><|image_pad|><|vision_end|>"))
                    .containsExactly(
                            vision.tokens().start(),
                            vision.tokens().image(),
                            vision.tokens().end());
        }
        assertThat(ChatTemplates.ofModel(model)).isEqualTo(ChatTemplates.CHATML);
        VisionProcessor processor = VisionProcessor.read(model.resolve("preprocessor_config.json"));
        assertThat(processor.preprocessing().maxPixels()).isEqualTo(65_536);
        assertThat(processor.grid(160, 320, 0).tokens()).isEqualTo(50);
        assertThat(AtomicFiles.sha256(model("--set", "seed=1").resolve("model.safetensors")))
                .isEqualTo(AtomicFiles.sha256(model.resolve("model.safetensors")));
    }

    @Test
    void anUntrainedTowerPassesOnWhatDiffersAtTheScaleOfEmbeddings() throws IOException {
        List<ImageFeatures> features = features(model());
        assertThat(features.get(0).grid()).isEqualTo(new ImageGrid(10, 5));
        float[] upper = features.get(0).values();
        float[] lower = features.get(1).values();
        assertThat(rms(upper)).isBetween(0.02, 0.12); // initializer-range is 0.05
        float[] difference = new float[upper.length];
        for (int i = 0; i < upper.length; i++) {
            difference[i] = upper[i] - lower[i];
        }
        assertThat(rms(difference)).isGreaterThan(0.3 * rms(upper));
    }

    @Test
    void layersMayHaveLinearAttentionAsPublished() throws IOException {
        DecoderConfig decoder = HuggingFaceDirectory.open(model("--set", "full-attention-interval=3"))
                .config();
        assertThat(decoder.layerKinds())
                .containsExactly(Mixer.Kind.LINEAR_ATTENTION, Mixer.Kind.LINEAR_ATTENTION, Mixer.Kind.FULL_ATTENTION);
    }

    @Test
    void aModelThatSeesCanBeReplaced() throws IOException {
        Path model = model();
        assertThat(model.resolve("chat_template.jinja")).isNotEmptyFile();
        assertThat(init(model, SHIPPED, "--vision")).contains("holds a model already");
        assertThat(status).isEqualTo(2);
        init(model, SHIPPED, "--vision", "--overwrite");
        assertThat(status).isZero();
    }

    @Test
    void configurationsOfTheOtherKindAreRefused() throws IOException {
        assertThat(init(folder.resolve("x"), SHIPPED)).contains("vision: is not a known key");
        assertThat(status).isEqualTo(78);
        assertThat(init(folder.resolve("x"), CONFIGS.resolve("reasoner-init.yaml"), "--vision"))
                .contains("vision: is missing");
        assertThat(status).isEqualTo(78);
        assertThatThrownBy(() -> StrictYaml.read(
                        SHIPPED,
                        ParInitVisionConfig.class,
                        List.of("vision.position-embeddings=200", "full-attention-interval=4")))
                .isInstanceOf(InvalidConfigurationException.class)
                .hasMessageContaining("position-embeddings = 200 must be a square");
    }

    private SampleEncoder perceiver(Path model) {
        return SampleEncoder.open(new EncoderSettings(
                ShippedEncoders.DEFAULT,
                dev.prpf.data.encode.spec.EncoderSpec.EncoderPrecision.INT8,
                LongText.MEAN_OF_WINDOWS,
                "vision:" + model,
                1,
                folder.resolve("store"),
                folder));
    }

    @Test
    void aPerceiverMayTakeTheMeanOfTheReasonersMergedPatches() throws IOException {
        Path model = model();
        ImageFeatures first = features(model).get(0);
        try (SampleEncoder encoder = perceiver(model)) {
            float[] vector = encoder.imageEncoder().encode(List.of(screen(true)))[0];
            assertThat(encoder.imageEncoderId()).startsWith("vision-fp32-192-");
            assertThat(vector).hasSize(192);
            for (int d = 0; d < vector.length; d++) {
                double sum = 0;
                for (int token = 0; token < 50; token++) {
                    sum += first.values()[token * 192 + d];
                }
                assertThat((double) vector[d]).isCloseTo(sum / 50, within(1e-6));
            }
            assertThat(encoder.cost().frameFlops()).isPositive();
            assertThat(encoder.imagesRead()).isEqualTo(1);
        }
        try (SampleEncoder again = perceiver(model)) {
            again.imageEncoder().encode(List.of(screen(true)));
            assertThat(again.imagesRead()).as("the store has it").isZero();
        }
    }

    @Test
    void aModelThatSeesNothingIsNoEncoder() throws IOException {
        Path text = folder.resolve("text-model");
        init(text, CONFIGS.resolve("reasoner-init.yaml"));
        assertThat(status).isZero();
        assertThatThrownBy(() -> perceiver(text))
                .satisfies(e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_CONFIG))
                .hasMessageContaining("frame-encoder vision:" + text);
        Path model = model();
        Files.delete(model.resolve("preprocessor_config.json"));
        assertThatThrownBy(() -> perceiver(model))
                .satisfies(e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.UNAVAILABLE))
                .hasMessageContaining("preprocessor_config.json does not exist");
    }
}
