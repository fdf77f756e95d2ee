package dev.prpf.par.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.JsonFile;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.data.io.SampleReader;
import dev.prpf.data.io.SampleWriter;
import dev.prpf.par.openai.RecordedServer;
import dev.prpf.par.pipeline.Votes.Vote;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class DataReviewCommandTest {
    private static final int RECORDS = 50;
    private static final double WRONG = 0.3;

    @TempDir
    private Path folder;

    /** Writes 50 records; in the last 20 the call is not that of their key. */
    @BeforeEach
    void writeRecords() {
        FunctionPoolFile.write(FunctionPoolFile.shippedEnglish(), folder.resolve("pool.json"));
        SampleWriter.write(
                folder.resolve("records.json"),
                IntStream.range(0, RECORDS)
                        .mapToObj(key -> sample(key, "09:41:07 Tap the message with KEY " + key))
                        .iterator());
    }

    private static boolean isRight(Sample sample) {
        return Integer.parseInt(sample.id().substring(1)) < 30;
    }

    private static Sample sample(int key, String step) {
        FunctionCall call = KeyedModel.callOf(key < 30 ? key : key + KeyedModel.WRONG_KEYS);
        return new Sample(
                "r" + key,
                2,
                "train",
                null,
                new DeviceContext("A clerk <b>", "KEY " + key, "Monday"),
                Trajectory.ofTexts(List.of(step)),
                List.of(new Recommendation("Shall I do number " + key + "?", List.of(call))));
    }

    private String run(int expectedStatus, String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "--data=" + folder.resolve("records.json"),
                "--pool=" + folder.resolve("pool.json"),
                "--out=" + folder.resolve("reviewed"),
                "--json"));
        arguments.addAll(List.of(more));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ResultStream.redirect(new PrintStream(out, true, StandardCharsets.UTF_8));
        CommandLine line = new CommandLine(new DataReviewCommand()).setCaseInsensitiveEnumValuesAllowed(true);
        line.setExecutionExceptionHandler((exception, at, parsed) -> {
            ResultStream.line(String.valueOf(exception.getMessage()));
            return exception instanceof PrpfException known ? ExitCode.of(known).status() : 1;
        });
        int status = line.execute(arguments.toArray(String[]::new));
        String text = out.toString(StandardCharsets.UTF_8);
        assertThat(status).as(text).isEqualTo(expectedStatus);
        return text;
    }

    private Path model(String name, String url) throws IOException {
        return Files.writeString(
                folder.resolve(name + ".yaml"), "server: {urls: ['" + url + "']}\nreasoner: {model: " + name + "}\n");
    }

    @Test
    void aPanelOfThreeFindsMostWrongRecords() throws IOException {
        List<RecordedServer> servers = new ArrayList<>();
        List<String> files = new ArrayList<>();
        for (String name : List.of("qwen", "smol", "third")) {
            KeyedModel model = new KeyedModel(name, WRONG);
            RecordedServer server = new RecordedServer().having(name).talking(model::answerTo);
            servers.add(server);
            files.add(model(name, server.baseUrl()).toString());
        }
        Path config = Files.writeString(folder.resolve("review.yaml"), "reviewers: " + files + "\n");
        JsonNode result = new ObjectMapper().readTree(run(0, "--config=" + config));
        run(0, "--config=" + config);
        for (RecordedServer server : servers) {
            assertThat(server.bodies()).as("nothing is sent twice").hasSize(RECORDS);
            server.close();
        }
        assertThat(result.get("open").intValue()).isZero();
        assertThat(result.get("kappa").doubleValue()).isBetween(0.0, 0.5);
        List<Sample> accepted = SampleReader.readAll(folder.resolve("reviewed/accepted.json"));
        long right = accepted.stream().filter(DataReviewCommandTest::isRight).count();
        double precision = 100.0 * right / accepted.size();
        double recall = 100.0 * right / 30;
        assertThat(precision).as("keeping all has 60, of %d", accepted.size()).isGreaterThan(70);
        assertThat(recall).as("dropping all has 0").isGreaterThan(70);
        assertThat(Files.readAllLines(folder.resolve("reviewed/not-accepted.jsonl")))
                .hasSize(RECORDS - accepted.size());
    }

    private Path votes(String reviewer, int from, int to) {
        List<Vote> votes = IntStream.range(0, RECORDS)
                .mapToObj(i -> new Vote("r" + i, i >= from && i < to, "seen"))
                .toList();
        Path file = folder.resolve(reviewer + ".json");
        JsonFile.write(file, new Votes(reviewer, AtomicFiles.sha256(folder.resolve("records.json")), votes));
        return file;
    }

    @Test
    void twoPeopleMustAgree() throws IOException {
        Path ann = votes("ann", 0, 30);
        JsonNode one = new ObjectMapper().readTree(run(0, "--votes=" + ann));
        assertThat(one.get("open").intValue()).isEqualTo(RECORDS);
        assertThat(one.get("kappa").isNull()).isTrue();
        JsonNode two = new ObjectMapper().readTree(run(0, "--votes=" + ann, "--votes=" + votes("bo", 10, 40)));
        assertThat(two.get("accepted").intValue()).isEqualTo(20);
        assertThat(two.get("rejected").intValue()).isEqualTo(10);
        assertThat(two.get("open").intValue()).isEqualTo(20);
        // p_o = 0.6, p_e = 0.6 * 0.6 + 0.4 * 0.4 = 0.52
        assertThat(two.get("kappa").doubleValue()).isCloseTo(0.08 / 0.48, within(1e-9));
        assertThat(run(2, "--votes=" + ann, "--votes=" + ann)).contains("two files have the votes of ann");
    }

    @Test
    void votesOnOtherRecordsAreRefusedAndBrokenRulesReject() throws IOException {
        Path ann = votes("ann", 0, 50);
        Path bo = votes("bo", 0, 50);
        List<Sample> told = List.of(
                sample(0, "09:41:07 Tap the message with KEY 0"),
                sample(1, "09:41:07 Tap 'Shall I do number 1'"),
                sample(2, "The user is bored"));
        SampleWriter.write(folder.resolve("records.json"), told.iterator());
        assertThat(run(65, "--votes=" + ann)).contains("votes on other records");
        String sha256 = AtomicFiles.sha256(folder.resolve("records.json"));
        for (Path file : List.of(ann, bo)) {
            List<Vote> votes = IntStream.range(0, 3)
                    .mapToObj(i -> new Vote("r" + i, true, ""))
                    .toList();
            JsonFile.write(file, new Votes(file.getFileName().toString(), sha256, votes));
        }
        JsonNode result = new ObjectMapper().readTree(run(0, "--votes=" + ann, "--votes=" + bo));
        assertThat(result.get("accepted").intValue()).isEqualTo(1);
        assertThat(result.get("broken").intValue()).isEqualTo(2);
        assertThat(Files.readString(folder.resolve("reviewed/not-accepted.jsonl")))
                .contains("rules: the recommendation is in its own trace")
                .contains("must begin with an action");
    }

    @Test
    void aNullAsAVoteOrItsIdIsRefused() throws IOException {
        Path ann = votes("ann", 0, 50);
        String text = Files.readString(ann);
        for (String broken : List.of(text.replace("\"r7\"", "null"), text.replaceFirst("\\{\"id.*?}", "null"))) {
            Files.writeString(ann, broken);
            assertThat(run(65, "--votes=" + ann))
                    .contains("ann.json: is no file of votes: votes", " = null, must have a value");
        }
    }

    @Test
    void thePageHoldsTheRecordsWithoutMarkup() throws IOException {
        run(0);
        assertThat(folder.resolve("reviewed/review.html"))
                .content()
                .contains("A clerk \\u003cb>", AtomicFiles.sha256(folder.resolve("records.json")))
                .doesNotContain("{records}", "{sha256}", "{images}");
    }
}
