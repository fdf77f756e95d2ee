package dev.prpf.par.command;

import static org.assertj.core.api.Assertions.assertThat;

import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.command.ResultStream;
import dev.prpf.data.command.SynthCommand;
import dev.prpf.par.engine.AttentionShape;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DecoderConfig.Mixer;
import dev.prpf.par.engine.DecoderConfig.SpecialTokens;
import dev.prpf.par.engine.DecoderFamily;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.ModelInit;
import dev.prpf.par.engine.RotaryScaling;
import dev.prpf.par.engine.TorchRuntime;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.tokenizer.SmallTokenizer;
import dev.prpf.par.tokenizer.Tokenizer;
import dev.prpf.par.vision.VisionConfig;
import dev.prpf.par.vision.VisionConfig.VisionTokens;
import dev.prpf.par.vision.VisionTower.VisionWeights;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import picocli.CommandLine;

/** A few samples with screenshots, and a random model that sees them. */
final class SeeingWorld {
    private static final int WIDTH = 32;
    private static final int POSITIONS = 4096;

    private final Path folder;

    private SeeingWorld(Path folder) {
        this.folder = folder;
    }

    /** Makes it in an empty folder. */
    static SeeingWorld in(Path folder) {
        SeeingWorld world = new SeeingWorld(folder);
        ResultStream.redirect(new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8));
        assertThat(new CommandLine(new SynthCommand())
                        .execute("--out", world.images().toString(), "--count", "8", "--multimodal-share", "1"))
                .isZero();
        try {
            world.writeModel();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return world;
    }

    Path images() {
        return folder.resolve("synth");
    }

    Path data() {
        return images().resolve("benchmark_zh.json");
    }

    Path pool() {
        return images().resolve("function_pool.json");
    }

    Path model() {
        return folder.resolve("seeing");
    }

    private void writeModel() throws IOException {
        Files.createDirectories(model());
        int vocabulary =
                SmallTokenizer.write(model(), "<|vision_start|>", "<|image_pad|>", "<|video_pad|>", "<|vision_end|>");
        try (Tokenizer tokenizer = Tokenizer.load(model());
                DecoderWeights weights = ModelInit.random(decoder(vocabulary, id(tokenizer, "<|im_end|>")), 11);
                VisionWeights tower = tower(tokenizer)) {
            HuggingFaceDirectory.write(model(), weights, tower, null);
        }
        Files.writeString(
                model().resolve("preprocessor_config.json"),
                "{\"patch_size\": 4, \"size\": {\"shortest_edge\": 64, \"longest_edge\": 4096}}");
    }

    private static int id(Tokenizer tokenizer, String token) {
        return Math.toIntExact(tokenizer.controlToken(token));
    }

    private static DecoderConfig decoder(int vocabulary, int end) {
        AttentionShape attention =
                new AttentionShape(4, 2, 16, 16, 10_000, RotaryScaling.none(), List.of(4, 2, 2), 0, 1 / Math.sqrt(16));
        return new DecoderConfig(
                DecoderFamily.QWEN3_5,
                vocabulary,
                WIDTH,
                48,
                List.of(Mixer.Kind.FULL_ATTENTION, Mixer.Kind.FULL_ATTENTION),
                attention,
                null,
                POSITIONS,
                1e-6,
                false,
                new SpecialTokens(null, List.of(end), null));
    }

    private static VisionWeights tower(Tokenizer tokenizer) {
        VisionTokens tokens = new VisionTokens(
                id(tokenizer, "<|image_pad|>"),
                id(tokenizer, "<|video_pad|>"),
                id(tokenizer, "<|vision_start|>"),
                id(tokenizer, "<|vision_end|>"));
        VisionConfig config = new VisionConfig(1, 16, 24, 2, 4, 16, WIDTH, 10_000, tokens);
        VisionWeights weights = new VisionWeights(config, TorchRuntime.newManager());
        Random random = new Random(5);
        config.parameterShapes().forEach((name, shape) -> {
            Shape size = new Shape(shape);
            float[] values = new float[Math.toIntExact(size.size())];
            for (int i = 0; i < values.length; i++) {
                values[i] = 0.3f * (float) random.nextGaussian() + (name.contains("norm") ? 1 : 0);
            }
            weights.put(name, (PtNDArray) weights.manager().create(values, size));
        });
        return weights;
    }

    /** Runs {@code prpf reasoner} and reads what it prints. */
    static JsonNode json(List<String> arguments) throws IOException {
        return new ObjectMapper().readTree(SmallWorld.run(0, arguments));
    }
}
