package dev.prpf.data.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.io.AnswersMapping;
import dev.prpf.data.io.Finding;
import dev.prpf.data.io.ScenarioCatalogReader;
import dev.prpf.data.io.Validator;
import dev.prpf.data.synth.SynthSettings;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class SynthCommandTest {
    @TempDir
    Path directory;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    @BeforeEach
    void capture() {
        ResultStream.redirect(new PrintStream(out, true, StandardCharsets.UTF_8));
    }

    @AfterEach
    void release() {
        ResultStream.redirect(System.out);
    }

    private String message = "";

    private int run(String... arguments) {
        List<String> all = new ArrayList<>(List.of("--out", directory.toString()));
        all.addAll(List.of(arguments));
        CommandLine line = new CommandLine(new SynthCommand()).setCaseInsensitiveEnumValuesAllowed(true);
        line.setExecutionExceptionHandler((exception, command, parsed) -> {
            message = String.valueOf(exception.getMessage());
            return exception instanceof PrpfException known ? ExitCode.of(known).status() : 1;
        });
        return line.execute(all.toArray(String[]::new));
    }

    @Test
    void writesAFolderAndOneJsonObject() throws IOException {
        assertThat(run("--count", "30", "--seed", "4", "--split", "test", "--lang", "en", "--json"))
                .isZero();
        JsonNode result = new ObjectMapper().readTree(out.toString(StandardCharsets.UTF_8));
        assertThat(result.get("records").asInt()).isEqualTo(30);
        assertThat(result.get("split").asText()).isEqualTo("test");
        assertThat(directory.resolve("benchmark_en.json")).isRegularFile();
    }

    @Test
    void optionWithConfiguration_isRefused() throws IOException {
        Path config = Files.writeString(directory.resolve("synth.yaml"), "never: read");
        assertThat(run("--config", config.toString(), "--count", "5")).isEqualTo(2);
        assertThat(message)
                .isEqualTo("--count with --config: the file has every setting; change one with --set count=VALUE");
        assertThat(run("--config", config.toString(), "--lang", "en")).isEqualTo(2);
        assertThat(message).endsWith("--set language=VALUE");
    }

    @Test
    void aDataSetIsNeverReplacedSilently() throws IOException {
        assertThat(run("--count", "5", "--seed", "4")).isZero();
        Path samples = directory.resolve("benchmark_zh.json");
        String first = Files.readString(samples);
        for (List<String> more : List.of(List.<String>of(), List.of("--lang", "en"), List.of("--dry-run"))) {
            List<String> arguments = new ArrayList<>(List.of("--count", "5", "--seed", "5"));
            arguments.addAll(more);
            assertThat(run(arguments.toArray(String[]::new))).as("%s", more).isEqualTo(2);
            assertThat(message).contains(samples + ": exists", "--out", "--overwrite");
        }
        assertThat(Files.readString(samples)).isEqualTo(first);
        assertThat(run("--count", "5", "--seed", "5", "--overwrite")).isZero();
        assertThat(Files.readString(samples)).isNotEqualTo(first);
    }

    @Test
    void aPoolOfTheUsersOwnIsNotReplacedEither() throws IOException {
        Path pool = Files.writeString(directory.resolve("function_pool.json"), "{}");
        assertThat(run("--count", "5")).isEqualTo(2);
        assertThat(message).contains(pool + ": exists");
        assertThat(pool).hasContent("{}");
    }

    @Test
    void aDryRunWritesNothing() {
        assertThat(run("--dry-run", "--json")).isZero();
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void aShareOutOfRangeIsAUsageError() {
        assertThat(run("--silent-share", "1.5")).isEqualTo(2);
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void aSplitThatIsNoFileNameIsAUsageError() {
        for (String split : List.of("../x", "a/b", " ", "", ".hidden")) {
            assertThat(run("--count", "3", "--multimodal-share", "1", "--split", split))
                    .as(split)
                    .isEqualTo(2);
            assertThat(message).contains("split = \"" + split + "\"");
        }
        assertThat(run("--count", "3", "--multimodal-share", "1", "--split", "val_2.开发-a"))
                .isZero();
        assertThat(directory.resolve("images")).isNotEmptyDirectory();
    }

    @Test
    void samplesOfVisualCuesAreSound() throws IOException {
        assertThat(run("--count", "40", "--visual-cues", "1", "--json")).isZero();
        JsonNode result = new ObjectMapper().readTree(out.toString(StandardCharsets.UTF_8));
        assertThat(result.get("images").asInt()).isEqualTo(40);
        Validator.Settings settings =
                new Validator.Settings(ScenarioCatalogReader.shipped(), directory, false, AnswersMapping.standard());
        List<Finding> findings = new ArrayList<>();
        Validator.Summary summary = Validator.validate(
                directory.resolve("benchmark_zh.json"),
                directory.resolve("function_pool.json"),
                settings,
                findings::add);
        assertThat(findings).isEmpty();
        assertThat(summary).isEqualTo(new Validator.Summary(40, 0, 0));
        assertThat(run("--count", "3", "--visual-cues", "2")).isEqualTo(2);
    }

    @Test
    void anUnknownLanguageIsAUsageError() {
        assertThat(run("--lang", "fr")).isEqualTo(2);
    }

    @Test
    void anUnknownSettingIsAConfigurationError() {
        assertThat(run("--set", "distractor.min=3")).isEqualTo(78);
        assertThat(run("--set", "distractor.min")).isEqualTo(2);
        assertThat(message).contains("--set distractor.min: must be KEY=VALUE");
    }

    @Test
    void theShippedConfigurationIsTheDefaultDifficulty() {
        Path shipped = Path.of(System.getProperty("prpf.root", ".."), "configs", "synth.yaml");
        assertThat(StrictYaml.read(shipped, SynthSettings.class, List.of()))
                .isEqualTo(SynthSettings.defaults(1, 4000, "train"));
    }
}
