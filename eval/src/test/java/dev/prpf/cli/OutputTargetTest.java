package dev.prpf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An output that cannot be written ends the command with 69 and one line; never with success or 65. */
@Tag("slow")
class OutputTargetTest {
    private static final Path FULL = Path.of("/dev/full");
    private static final String RECORD = "[{\"benchmark_metadata\":{\"id\":\"s1\",\"difficulty_level\":1},"
            + "\"reference_information\":{\"profile\":\"p\",\"phone\":\"d\",\"world\":\"w\",\"trace\":[\"t\"]},"
            + "\"recommendations\":[]}]";

    private final Path directory = CommandWorker.emptyFolder();

    @BeforeEach
    void aFewFiles() throws IOException {
        Files.writeString(directory.resolve("gold.json"), RECORD);
        Files.writeString(
                directory.resolve("p.jsonl"),
                "{\"id\":\"s1\",\"route\":\"silent\",\"p_trigger\":0.1,\"scenarios\":{},\"response\":null,\"calls\":[]}\n");
        Files.writeString(directory.resolve("file"), "mine");
    }

    private static void isUnavailable(CommandProcess.Result result, String... message) {
        assertThat(result.exitCode()).as(result.stderr()).isEqualTo(69);
        assertThat(result.stdout()).isEmpty();
        assertThat(result.stderr())
                .containsOnlyOnce("error: ")
                .contains(message)
                .doesNotContain("\tat ", "bug in prpf");
    }

    @Test
    void aFullStandardOutputIsNoSuccess() {
        CommandProcess full = CommandProcess.in(directory).writingTo(FULL);
        for (List<String> command : List.of(
                List.of("data", "stats", "--data", "gold.json", "--json"),
                List.of("data", "stats", "--data", "gold.json"),
                List.of("eval", "score", "--help"))) {
            isUnavailable(full.run(command.toArray(String[]::new)), "standard output");
        }
    }

    @Test
    void aReportBelowAFileCannotBeWritten() {
        isUnavailable(
                CommandWorker.run(
                        "eval",
                        "score",
                        "--gold=gold.json",
                        "--pool=" + pool(),
                        "--predictions=p.jsonl",
                        "--out=file/report"),
                "cannot write file/report/verdicts.jsonl: ");
        assertThat(directory.resolve("file")).hasContent("mine");
    }

    @Test
    void aDataSetBelowAFileCannotBeWritten() {
        isUnavailable(
                CommandWorker.run("data", "synth", "--out=file/d", "--count=3", "--multimodal-share=0"),
                "cannot write");
    }

    private static Path pool() {
        return Path.of(System.getProperty("prpf.root", ".."))
                .resolve("data-prep/src/main/resources/dev/prpf/data/function_pool.json");
    }
}
