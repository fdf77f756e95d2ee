package dev.prpf.par.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.Outputs;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.tokenizer.Tokenizer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ReasonerInitCommandTest {
    private static final Path SHIPPED = Path.of(System.getProperty("prpf.root", ".."), "configs", "reasoner-init.yaml");
    private static final String RECORD =
            """
            [{"benchmark_metadata": {"id": "a", "difficulty_level": 1},
              "reference_information": {"profile": "常去虹桥火车站", "phone": "电量八成", "world": "下雨",
                "trace": ["打开地图", "搜索虹桥火车站"]},
              "recommendations": [{"instruction": "订票", "functions": [
                {"name": "book_transport", "parameters": {"destination": "虹桥火车站", "count": 2}}]}]}]
            """;

    @TempDir
    private Path directory;

    private int status;

    private String run(String... arguments) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream before = System.out;
        ResultStream.redirect(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        try {
            List<String> line = new ArrayList<>(List.of("--config", SHIPPED.toString()));
            line.addAll(List.of(arguments));
            CommandLine command = new CommandLine(new ReasonerInitCommand()).setCaseInsensitiveEnumValuesAllowed(true);
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

    private String text() throws IOException {
        return Files.writeString(directory.resolve("data.json"), RECORD).toString();
    }

    @Test
    void aModelAndItsTokenizerAreMadeAndMadeTheSameAgain() throws IOException {
        Path first = directory.resolve("first");
        Path second = directory.resolve("second");
        JsonNode result = new ObjectMapper()
                .readTree(run("--text", text(), "--set", "value-count=1", "--json", "--out", first.toString()));
        assertThat(status).isZero();
        assertThat(result.path("words").asInt()).isGreaterThan(150);
        run("--text", text(), "--set", "value-count=1", "--json", "--out", second.toString());
        for (String file : List.of("config.json", "tokenizer.json", "tokenizer_config.json", "model.safetensors")) {
            assertThat(AtomicFiles.sha256(first.resolve(file)))
                    .as(file)
                    .isEqualTo(AtomicFiles.sha256(second.resolve(file)));
        }
        try (Tokenizer tokenizer = Tokenizer.load(first);
                CausalLm decoder = HuggingFaceDirectory.open(first).decoder(Precision.FP32)) {
            assertThat(tokenizer.encodePlain("虹桥火车站")).hasSize(1);
            assertThat(tokenizer.encodePlain("book_transport")).hasSize(1);
            assertThat(tokenizer.encodeControl("<profile><recommendations><|im_end|>"))
                    .hasSize(3);
            assertThat(decoder.config().tokens().end()).contains(Math.toIntExact(tokenizer.controlToken("<|im_end|>")));
            assertThat(Outputs.logits(decoder, tokenizer.encodePlain("虹桥火车站")))
                    .hasDimensions(1, decoder.config().vocabularySize());
            assertThat(decoder.config().vocabularySize() % 8).isZero();
        }
    }

    @Test
    void aDryRunWritesNothing() throws IOException {
        assertThat(run(
                        "--text",
                        text(),
                        "--dry-run",
                        "--out",
                        directory.resolve("dry").toString()))
                .contains("would write");
        assertThat(status).isZero();
        assertThat(directory.resolve("dry")).doesNotExist();
    }

    @Test
    void aModelIsNotOverwritten() throws IOException {
        Path model = Files.createDirectory(directory.resolve("model"));
        Files.writeString(model.resolve("config.json"), "{}");
        Files.writeString(model.resolve("model.safetensors"), "old");
        assertThat(run("--text", text(), "--out", model.toString())).contains("holds a model already", "--overwrite");
        assertThat(status).isEqualTo(2);
        assertThat(model.resolve("config.json")).hasContent("{}");

        run("--text", text(), "--out", model.toString(), "--overwrite");
        assertThat(status).isZero();
        assertThat(model.resolve("config.json")).content().contains("hidden_size");
    }

    @Test
    void aFolderOfOtherFilesIsLeftAlone() throws IOException {
        assertThat(run("--text", text(), "--overwrite", "--out", directory.toString()))
                .contains("--out " + directory, "data.json, which is not part of a trained model");
        assertThat(status).isEqualTo(2);
        assertThat(run("--text", text(), "--out", text())).contains("is a file");
        assertThat(status).isEqualTo(2);
    }

    @Test
    void anotherProgramsFolderWithAConfigurationIsLeftAlone() throws IOException {
        Path project = Files.createDirectory(directory.resolve("project"));
        Files.writeString(project.resolve("config.json"), "{\"port\": 80}");
        assertThat(run("--text", text(), "--overwrite", "--out", project.toString()))
                .contains("config.json, which is not part of a trained model");
        assertThat(status).isEqualTo(2);

        Path model = Files.createDirectory(directory.resolve("model"));
        Files.writeString(model.resolve("config.json"), "{}");
        Files.writeString(model.resolve("model.safetensors"), "old");
        Files.createDirectory(model.resolve("onnx"));
        assertThat(run("--text", text(), "--overwrite", "--out", model.toString()))
                .contains("onnx, which is not part of a trained model");
        assertThat(status).isEqualTo(2);
        assertThat(model.resolve("model.safetensors")).hasContent("old");
    }

    /** A killed start leaves a partial folder next to the destination, which is missing or an empty folder of the user. */
    @Test
    void whatAKilledStartLeftStandsInNobodysWay() throws IOException {
        Path model = Files.createDirectory(directory.resolve("model"));
        Path partial = Files.createDirectory(directory.resolve(".model.partial"));
        Files.writeString(partial.resolve("config.json"), "{\"half");
        Files.writeString(partial.resolve("stray.bin"), "x");
        run("--text", text(), "--out", model.toString());
        assertThat(status).isZero();
        assertThat(partial).doesNotExist();
        assertThat(model.resolve("stray.bin")).doesNotExist();
        try (CausalLm decoder = HuggingFaceDirectory.open(model).decoder(Precision.FP32)) {
            assertThat(Outputs.logits(decoder, new long[] {5}))
                    .hasDimensions(1, decoder.config().vocabularySize());
        }
    }

    @Test
    void onlyOptionsThatAreHonouredAreOffered() {
        for (String option : List.of("--resume=never", "--run-dir=x")) {
            CommandLine command = new CommandLine(new ReasonerInitCommand());
            command.setErr(new java.io.PrintWriter(java.io.Writer.nullWriter()));
            assertThat(command.execute(option)).as(option).isEqualTo(2);
            assertThat(command.getCommandSpec().findOption(option.substring(0, option.indexOf('='))))
                    .as(option)
                    .isNull();
        }
    }

    @Test
    void aVocabularyTooSmallForTheWordsIsABadConfiguration() throws IOException {
        assertThat(run(
                        "--text",
                        text(),
                        "--set",
                        "tokenizer.vocabulary=301",
                        "--out",
                        directory.resolve("x").toString()))
                .contains("words");
        assertThat(status).isEqualTo(78);
    }

    @Test
    void aTextThatIsNoTextIsBadData() throws IOException {
        Path binary =
                Files.write(directory.resolve("image.png"), new byte[] {(byte) 0x89, 'P', (byte) 0xFF, (byte) 0xFE});
        assertThat(run(
                        "--text",
                        binary.toString(),
                        "--out",
                        directory.resolve("x").toString()))
                .contains("image.png");
        assertThat(status).isEqualTo(65);
    }

    @Test
    void theShippedConfigurationIsRead() {
        ParInitConfig config = StrictYaml.read(SHIPPED, ParInitConfig.class, List.of("model.layers=2"));
        assertThat(config.model().layers()).isEqualTo(2);
        assertThat(config.tokenizer().maxCharacters()).isEqualTo(6);
    }
}
