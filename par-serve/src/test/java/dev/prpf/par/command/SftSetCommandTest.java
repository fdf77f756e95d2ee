package dev.prpf.par.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.command.SynthCommand;
import dev.prpf.mpp.command.GateTrainCommand;
import dev.prpf.par.openai.RecordedServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@Tag("slow")
class SftSetCommandTest {
    private static final Path CONFIGS = Path.of(System.getProperty("prpf.root", ".."), "configs");
    private static final String ANSWER = "此刻正确的输出已经确定：\n<recommendations>";

    @TempDir
    private static Path folder;

    private static Path data;

    @BeforeAll
    static void makeData() {
        data = synth("synth", 4);
    }

    private static Path synth(String name, int seed) {
        Path out = folder.resolve(name);
        run(0, new SynthCommand(), List.of("--out=" + out, "--count=60", "--multimodal-share=0", "--seed=" + seed));
        return out.resolve("benchmark_zh.json");
    }

    private static String run(int expectedStatus, Object command, List<String> arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ResultStream.redirect(new PrintStream(out, true, StandardCharsets.UTF_8));
        CommandLine line = new CommandLine(command).setCaseInsensitiveEnumValuesAllowed(true);
        line.setExecutionExceptionHandler((exception, at, parsed) -> {
            ResultStream.line(String.valueOf(exception.getMessage()));
            return exception instanceof PrpfException known ? ExitCode.of(known).status() : 1;
        });
        int status = line.execute(arguments.toArray(String[]::new));
        String text = out.toString(StandardCharsets.UTF_8);
        assertThat(status).as(text).isEqualTo(expectedStatus);
        return text;
    }

    private static String set(int expectedStatus, Path samples, String out, String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "--config=" + CONFIGS.resolve("data-sft-set.yaml"),
                "--data=" + samples,
                "--out=" + folder.resolve(out),
                "--set=encoder.store=" + folder.resolve("store"),
                "--json"));
        arguments.addAll(List.of(more));
        return run(expectedStatus, new SftSetCommand(), arguments);
    }

    private static JsonNode json(String text) throws IOException {
        return new ObjectMapper().readTree(text);
    }

    /** Returns reasoning with the answer's own words, except for prompts that contain the refused word. */
    private static String teach(String prompt, String refused) {
        int from = prompt.indexOf(ANSWER) + ANSWER.length() - "<recommendations>".length();
        String answer = prompt.substring(from, prompt.indexOf("</recommendations>", from));
        return prompt.contains(refused)
                ? "抱歉"
                : "<thinking>想<function_selection>" + answer.replace("<recommendations>", "")
                        + "</function_selection></thinking>\n" + answer + "</recommendations>";
    }

    private static Path teacher(RecordedServer server) throws IOException {
        String yaml = Files.readString(CONFIGS.resolve("teacher.yaml"))
                .replace("http://127.0.0.1:8000/v1", server.baseUrl())
                .replace("price: null", "price: {prompt: 1.0, completion: 2.0}");
        return Files.writeString(folder.resolve("teacher.yaml"), yaml);
    }

    @Test
    void aTeacherOnAServerWritesTheReasoningOnce() throws IOException {
        try (RecordedServer server = new RecordedServer()) {
            server.talking(prompt -> teach(prompt, "不会出现的词"));
            String[] options = {"--set=prompt.reasoning=full", "--teacher=" + teacher(server)};
            JsonNode made = json(set(0, data, "taught.jsonl", options));
            int acting = made.get("acting").intValue();
            assertThat(acting).isPositive();
            assertThat(made.at("/teaching/teacher").textValue()).startsWith("model:Qwen/Qwen3.5-9B:");
            assertThat(made.at("/teaching/written").intValue()
                            + made.at("/teaching/repaired").intValue())
                    .isEqualTo(acting);
            assertThat(made.at("/remote/answers").intValue()).isEqualTo(acting);
            assertThat(made.at("/remote/cost").doubleValue()).isPositive();
            assertThat(server.bodies()).as("silence is not asked for").hasSize(acting);
            assertThat(folder.resolve("taught.answers.jsonl")).exists();
            assertThat(Files.readAllLines(folder.resolve("taught.jsonl")))
                    .filteredOn(line -> line.contains("\"teacher\":\"model:"))
                    .hasSize(acting);

            assertThat(json(set(0, data, "taught.jsonl", options)).get("teaching"))
                    .isEqualTo(made.get("teaching"));
            assertThat(server.bodies()).as("nothing is asked twice").hasSize(acting);

            JsonNode dry = json(set(0, data, "dry.jsonl", options[0], options[1], "--dry-run"));
            assertThat(dry.get("remote").isNull()).isTrue();
            assertThat(dry.at("/teaching/teacher").textValue()).isEqualTo("offline:1");
            assertThat(server.bodies()).hasSize(acting);
        }
    }

    @Test
    void junkIsDroppedAndCounted() throws IOException {
        try (RecordedServer server = new RecordedServer()) {
            server.talking(prompt -> teach(prompt, "此刻"));
            JsonNode made =
                    json(set(0, data, "junk.jsonl", "--set=prompt.reasoning=full", "--teacher=" + teacher(server)));
            assertThat(made.get("acting").intValue()).isZero();
            assertThat(made.at("/teaching/dropped/unreadable").intValue()).isPositive();
            assertThat(made.get("records")).isEqualTo(made.get("silent"));
        }
    }

    @Test
    void aTeacherNeedsReasoningToWrite() throws IOException {
        try (RecordedServer server = new RecordedServer()) {
            assertThat(set(2, data, "none.jsonl", "--teacher=" + teacher(server)))
                    .contains("has nothing to write: prompt.reasoning = none");
        }
        JsonNode made = json(set(0, data, "none.jsonl"));
        assertThat(made.get("teaching").isNull()).isTrue();
        assertThat(made.get("remote").isNull()).isTrue();
    }

    @Test
    void perceiversOfFoldsGiveEachRecordItsOwnScenes() throws IOException {
        Path mpp = folder.resolve("mpp");
        run(
                0,
                new GateTrainCommand(),
                List.of(
                        "--config=" + CONFIGS.resolve("gate.yaml"),
                        "--data=" + data,
                        "--store=" + folder.resolve("store"),
                        "--run-dir=" + mpp,
                        "--folds=2",
                        "--set=network.dimension=16",
                        "--set=network.heads=2",
                        "--set=network.layers=1",
                        "--set=network.feed-forward=32",
                        "--set=training.epochs=1",
                        "--set=encoder.precision=int8"));
        JsonNode made = json(set(0, data, "folds.jsonl", "--set=prompt.scenes=true", "--gate=" + mpp));
        assertThat(made.get("records").intValue()).isEqualTo(60);
        assertThat(Files.readString(folder.resolve("folds.jsonl"))).contains("predicted_scenes");
        assertThat(set(65, synth("other", 5), "other.jsonl", "--set=prompt.scenes=true", "--gate=" + mpp))
                .contains("is not in the data of the folds' perceivers");
    }
}
