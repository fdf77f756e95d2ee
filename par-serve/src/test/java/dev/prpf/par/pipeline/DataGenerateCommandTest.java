package dev.prpf.par.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.Sample;
import dev.prpf.data.io.SampleReader;
import dev.prpf.par.openai.RecordedServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The commands of docs/GENERATE.md, with a fake model on a server. */
class DataGenerateCommandTest {
    private static final Path CONFIGS = Path.of(System.getProperty("prpf.root", ".."), "configs");

    @TempDir
    private Path folder;

    private String run(int expectedStatus, String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "--config=" + CONFIGS.resolve("data-generate.yaml"),
                "--out=" + folder.resolve("generated"),
                "--json",
                "--set=seeds=" + folder.resolve("seeds.jsonl"),
                "--set=models.authors=[" + folder.resolve("writer.yaml") + "]",
                "--set=models.checker=" + folder.resolve("writer.yaml"),
                "--set=models.candidates=[" + folder.resolve("writer.yaml") + "]",
                "--set=models.editor=" + folder.resolve("writer.yaml")));
        arguments.addAll(List.of(more));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ResultStream.redirect(new PrintStream(out, true, StandardCharsets.UTF_8));
        CommandLine line = new CommandLine(new DataGenerateCommand()).setCaseInsensitiveEnumValuesAllowed(true);
        line.setExecutionExceptionHandler((exception, at, parsed) -> {
            ResultStream.line(String.valueOf(exception.getMessage()));
            return exception instanceof PrpfException known ? ExitCode.of(known).status() : 1;
        });
        int status = line.execute(arguments.toArray(String[]::new));
        String text = out.toString(StandardCharsets.UTF_8);
        assertThat(status).as(text).isEqualTo(expectedStatus);
        return text;
    }

    private void write(String url) throws IOException {
        Files.writeString(
                folder.resolve("writer.yaml"),
                "server: {urls: ['" + url + "']}\nreasoner: {model: qwen, structured-output: json-schema}\n");
        Files.write(
                folder.resolve("seeds.jsonl"),
                IntStream.rangeClosed(1, 7)
                        .mapToObj(i ->
                                "{\"id\": \"s" + i + "\", \"scenario\": \"Shopping\", \"text\": \"KEY " + i + "\"}")
                        .toList());
    }

    @Test
    void aServerMakes21RecordsOnceAndNothingIsSentTwice() throws IOException {
        KeyedModel model = new KeyedModel("qwen", 0);
        try (RecordedServer server = new RecordedServer().talking(model::answerTo)) {
            write(server.baseUrl());
            assertThat(run(75, "--set=budget.answers=10")).contains("10 of 10 answers");
            JsonNode made = new ObjectMapper().readTree(run(0));
            assertThat(made.at("/records/train").intValue()).isEqualTo(18);
            assertThat(made.at("/records/test").intValue()).isEqualTo(3);
            assertThat(made.at("/steps/context/passed").intValue()).isEqualTo(21);
            assertThat(made.at("/usage/answers").intValue())
                    .isEqualTo(server.bodies().size());
            assertThat(server.bodies()
                            .get(0)
                            .at("/response_format/json_schema/name")
                            .asText())
                    .isEqualTo("situation");
            int sent = server.bodies().size();
            byte[] before = Files.readAllBytes(folder.resolve("generated/train.json"));
            run(0);
            assertThat(server.bodies()).hasSize(sent);
            assertThat(folder.resolve("generated/train.json")).hasBinaryContent(before);
        }
        List<Sample> samples = SampleReader.readAll(folder.resolve("generated/train.json"));
        Set<String> seeds = samples.stream()
                .map(sample -> sample.id().replaceAll("-.*", ""))
                .collect(Collectors.toSet());
        assertThat(seeds).hasSize(6);
        assertThat(samples).allSatisfy(sample -> {
            int key = Integer.parseInt(sample.id().replaceAll("s(\\d+)-.*", "$1"));
            assertThat(sample.validSequences()).containsExactly(List.of(KeyedModel.callOf(key)));
        });
        assertThat(Files.readAllLines(folder.resolve("generated/reasoning.jsonl")))
                .hasSize(21);
        assertThat(folder.resolve("generated/dropped.jsonl")).isEmptyFile();
    }

    @Test
    void aServerElsewhereNeedsConsentAndADryRunNeedsNone() throws IOException {
        write("https://models.example/v1");
        assertThat(run(2))
                .contains("this sends seeds, the records made from them, the function pool to"
                        + " https://models.example/v1; give --yes");
        assertThat(run(0, "--dry-run")).contains("\"requests\":" + 7 * (3 + 3 * 14));
        assertThat(folder.resolve("generated")).doesNotExist();
    }

    @Test
    void wrongSeedsAreNamedWithTheirLine() throws IOException {
        write("http://127.0.0.1:1/v1");
        Files.writeString(folder.resolve("seeds.jsonl"), "{\"id\": \"s\", \"scenario\": \"Moon\", \"text\": \"x\"}\n");
        assertThat(run(65)).contains("seeds.jsonl:1: scenario \"Moon\" is unknown, must be one of");
        Files.writeString(folder.resolve("seeds.jsonl"), "");
        assertThat(run(65)).contains("holds no seeds");
    }
}
