package dev.prpf.par.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.SafeTensors;
import dev.prpf.par.engine.Golden;
import dev.prpf.par.vision.ImageGolden;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code --images} of {@code reasoner logits} and {@code reasoner generate}. */
class ImagesOptionTest {
    /** Placeholders of an image of 24 x 16 pixels, between its marks. */
    private static final String ONE = "5,9,253,255,255,255,255,255,255,252,7";

    @TempDir
    Path directory;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private Exception failure = new IllegalStateException("nothing failed");

    @BeforeEach
    void copyModel() throws IOException {
        for (String name : new String[] {"config.json", "generation_config.json", "model.safetensors"}) {
            Files.copy(ImageGolden.own().folder().resolve(name), directory.resolve(name));
        }
        Files.writeString(directory.resolve("preprocessor_config.json"), ImageGolden.PREPROCESSOR);
        ImageGolden.image(directory.resolve("a.png"), 24, 16, 1);
        ImageGolden.image(directory.resolve("b.png"), 24, 16, 2);
        ResultStream.redirect(new PrintStream(out, true, StandardCharsets.UTF_8));
    }

    private int run(String... arguments) {
        CommandLine line = new CommandLine(new ReasonerCommand()).setCaseInsensitiveEnumValuesAllowed(true);
        line.setExecutionExceptionHandler((exception, command, parsed) -> {
            failure = exception;
            return exception instanceof PrpfException known ? ExitCode.of(known).status() : 1;
        });
        return line.execute(arguments);
    }

    private float[] logits(String ids, String images) {
        Path file = directory.resolve("logits.safetensors");
        assertThat(run(
                        "logits",
                        "--reasoner",
                        directory.toString(),
                        "--ids",
                        ids,
                        "--images",
                        images,
                        "--out",
                        "" + file))
                .as(() -> failure.toString())
                .isZero();
        try (SafeTensors tensors = SafeTensors.open(file)) {
            return tensors.floats("logits");
        }
    }

    private String file(String name) {
        return directory.resolve(name).toString();
    }

    @Test
    void logitsBehindAnImageDependOnIt() {
        float[] first = logits(ONE, file("a.png"));
        float[] second = logits(ONE, file("b.png"));
        int before = 3 * 256;
        assertThat(first).hasSize(11 * 256);
        for (int i = 0; i < before; i++) {
            assertThat(first[i]).isCloseTo(second[i], within(1e-4f));
        }
        assertThat(Golden.cosine(
                        Arrays.copyOfRange(first, 10 * 256, 11 * 256), Arrays.copyOfRange(second, 10 * 256, 11 * 256)))
                .isLessThan(0.999);
    }

    @Test
    void aPromptIsContinuedByWhatIsSeen() throws IOException {
        JsonNode first = generate(file("a.png"));
        assertThat(first.path("ids")).hasSize(8);
        assertThat(generate(file("b.png")).path("logprobs")).isNotEqualTo(first.path("logprobs"));
        assertThat(generate(file("a.png")).path("ids")).isEqualTo(first.path("ids"));
    }

    private JsonNode generate(String images) throws IOException {
        out.reset();
        String model = directory.toString();
        assertThat(run(
                        "generate",
                        "--reasoner",
                        model,
                        "--ids",
                        ONE,
                        "--images",
                        images,
                        "--max-new",
                        "8",
                        "--greedy",
                        "--ignore-eos",
                        "--json"))
                .isZero();
        return new ObjectMapper().readTree(out.toString(StandardCharsets.UTF_8));
    }

    @Test
    void moreImagesThanPlaceholdersAndTheReverseAreBadData() {
        assertRefused(ExitCode.BAD_DATA, "is no placeholder of it", "--images", file("a.png") + "," + file("b.png"));
        assertRefused(ExitCode.BAD_DATA, "has 6 placeholders of images, its 0 images need 0");
    }

    private void assertRefused(ExitCode code, String message, String... more) {
        String[] command = {"generate", "--reasoner", directory.toString(), "--ids", ONE, "--greedy"};
        String[] arguments = Arrays.copyOf(command, command.length + more.length);
        System.arraycopy(more, 0, arguments, command.length, more.length);
        assertThat(run(arguments)).isEqualTo(code.status());
        assertThat(failure).hasMessageContaining(message);
    }

    @Test
    void whatCannotBeSeenIsNamed() throws IOException {
        assertRefused(ExitCode.BAD_DATA, "none.png does not exist", "--images", file("none.png"));
        Files.writeString(directory.resolve("text.png"), "no image");
        assertRefused(ExitCode.BAD_DATA, "is not an image that can be read", "--images", file("text.png"));
        Files.delete(directory.resolve("preprocessor_config.json"));
        assertRefused(ExitCode.UNAVAILABLE, "preprocessor_config.json does not exist", "--images", file("a.png"));
        Path config = directory.resolve("config.json");
        ObjectNode root = (ObjectNode) new ObjectMapper().readTree(config.toFile());
        root.remove("vision_config");
        Files.writeString(config, root.toString());
        assertRefused(ExitCode.BAD_CONFIG, "--images: ", "--images", file("a.png"));
        assertThat(failure).hasMessageContaining("is a text model");
    }

    /** From the files of images to transformers' logits. */
    @Test
    void logitsAreThoseOfTransformers() {
        ImageGolden golden =
                ImageGolden.here("qwen3_5_vl").reduce((own, shared) -> shared).orElseThrow();
        Path folder = golden.folder();
        Assumptions.assumeTrue(
                Files.exists(folder.resolve("picture0.png")),
                "the larger golden outputs are not here: PRPF_GOLDEN names their folder");
        try (SafeTensors expected = golden.open()) {
            String ids = LongStream.of(Golden.ids(expected, "two.input_ids"))
                    .mapToObj(Long::toString)
                    .collect(Collectors.joining(","));
            Path file = directory.resolve("two.safetensors");
            String images = folder.resolve("picture1.png") + "," + folder.resolve("picture2.png");
            assertThat(run("logits", "--reasoner", "" + folder, "--ids", ids, "--images", images, "--out", "" + file))
                    .isZero();
            try (SafeTensors found = SafeTensors.open(file)) {
                float[] own = found.floats("logits");
                float[] theirs = expected.floats("two.logits");
                assertThat(own).hasSameSizeAs(theirs);
                for (int i = 0; i < own.length; i++) {
                    assertThat(Math.abs(own[i] - theirs[i])).isLessThan(5e-3f);
                }
            }
        }
    }
}
