package dev.prpf.par.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
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

class RewardCommandTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String ALARM = "{\"name\":\"ring_alarm\",\"parameters\":{\"time\":\"08:30\"}}";
    private static final String POOL =
            "{\"ring_alarm\":{\"name\":\"ring_alarm\",\"description\":\"\",\"similar\":[],\"parameters\":{\"time\":"
                    + "{\"description\":\"\",\"type\":\"string\",\"must_fill\":\"required\",\"value\":\"non-enumerable\"}}}}";

    @TempDir
    Path directory;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private PrintStream before = System.out;
    private Exception failure = new IllegalStateException("nothing failed");

    @BeforeEach
    void write() throws IOException {
        before = ResultStream.redirect(new PrintStream(out, true, StandardCharsets.UTF_8));
        Files.writeString(
                directory.resolve("gold.json"),
                "[" + record("acts", "[{\"instruction\":\"i\",\"functions\":[" + ALARM + "]}]") + ","
                        + record("silent", "[]") + "]");
    }

    @AfterEach
    void restore() {
        ResultStream.redirect(before);
    }

    private static String record(String id, String answers) {
        return "{\"benchmark_metadata\":{\"id\":\"" + id
                + "\",\"difficulty_level\":1},\"reference_information\":{\"profile\":"
                + "\"p\",\"phone\":\"d\",\"world\":\"w\",\"trace\":[\"t\"]},\"recommendations\":" + answers + "}";
    }

    private int run(String responses, String... more) throws IOException {
        out.reset();
        Path file = Files.writeString(directory.resolve("r.jsonl"), responses);
        List<String> all = new ArrayList<>(List.of("reward", "--gold=" + directory.resolve("gold.json")));
        all.addAll(List.of(more));
        if (!all.contains("--responses=-")) {
            all.add("--responses=" + file);
        }
        CommandLine line = new CommandLine(new ReasonerCommand()).setCaseInsensitiveEnumValuesAllowed(true);
        line.setExecutionExceptionHandler((exception, command, parsed) -> {
            failure = exception;
            return exception instanceof PrpfException known ? ExitCode.of(known).status() : 1;
        });
        return line.execute(all.toArray(String[]::new));
    }

    private List<JsonNode> lines() throws IOException {
        List<JsonNode> lines = new ArrayList<>();
        for (String line : out.toString(StandardCharsets.UTF_8).lines().toList()) {
            lines.add(JSON.readTree(line));
        }
        return lines;
    }

    private static String response(String id, String recommendations) throws IOException {
        return "{\"id\":\"" + id + "\",\"response\":" + JSON.writeValueAsString(recommendations) + "}\n";
    }

    private static String acting() {
        return "<recommendations>[{\"instruction\":\"i\",\"function\":[" + ALARM + "]}]</recommendations>";
    }

    private String pool() throws IOException {
        return "--pool=" + Files.writeString(directory.resolve("pool.json"), POOL);
    }

    @Test
    void aLineAResponseInOrderWhoseTermsAddUp() throws IOException {
        String responses = response("silent", acting())
                + response("acts", acting())
                + "{\"id\":\"acts\",\"calls\":[]}\n"
                + response("silent", "无推荐")
                + response("silent", "oops")
                + "{\"id\":\"acts\",\"calls\":[[" + ALARM + "],[]]}\n";

        assertThat(run(responses, pool(), "--json")).isZero();

        List<JsonNode> lines = lines();
        assertThat(lines)
                .extracting(line -> line.get("id").textValue())
                .containsExactly("silent", "acts", "acts", "silent", "silent", "acts");
        assertThat(lines)
                .extracting(line -> line.get("quadrant").asText())
                .containsExactly("FP", "TP", "FN", "TN", "null", "TP");
        assertThat(lines)
                .extracting(line -> line.get("total").doubleValue())
                .containsExactly(-1.5, 8.2, 0.5, 8.5, 0.0, 8.2);
        for (JsonNode line : lines) {
            List<String> names = new ArrayList<>();
            line.get("terms").fieldNames().forEachRemaining(names::add);
            assertThat(names).containsExactly("trig", "func", "args", "schema", "tn", "fp", "cov", "over");
            double sum = 0;
            for (JsonNode term : line.get("terms")) {
                sum += term.doubleValue();
            }
            assertThat(sum).isCloseTo(line.get("total").doubleValue(), within(1e-9));
        }
    }

    @Test
    void whatBreaksTheFormAskedForIsNamed() throws IOException {
        String reasoned = response("silent", "<thinking>无</thinking><recommendations>[]</recommendations>");
        assertThat(run(reasoned, pool())).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("silent  TN  8.500");

        assertThat(run(reasoned, pool(), "--reasoning=none")).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains(
                        "silent  malformed", "at character 0: <thinking> has no place in a response of the form BARE");
    }

    @Test
    void withoutJsonEveryTermIsExplained() throws IOException {
        assertThat(run(response("acts", acting()) + response("acts", "<thinking>"), pool()))
                .isZero();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("acts  TP  8.200 = trig 2.000 + func 3.000 + args 2.500 + schema 0.500 + cov 0.200")
                .contains("names 1.000, order 1.000, filled 1.000, values 1.000, measured against"
                        + " [{\"name\":\"ring_alarm\"")
                .contains("acts  malformed  0.000 = 0", "<thinking> is not closed; schema 0.000")
                .contains("2 responses {TP=1, malformed=1}, mean reward 4.100 = trig 1.000 + func 1.500");
    }

    @Test
    void constantsComeFromTheConfigurationAndFromSet() throws IOException {
        assertThat(run(response("silent", acting()), pool(), "--json", "--set=weights.fp=3"))
                .isZero();
        assertThat(lines().get(0).get("total").doubleValue()).isEqualTo(-3);

        assertThat(run(response("silent", acting()), pool(), "--set=order-shar=0.3"))
                .isEqualTo(ExitCode.BAD_CONFIG.status());
        assertThat(failure).hasMessageContaining("order-shar").hasMessageContaining("did you mean");
    }

    @Test
    void theFormCanBeAskedFor() throws IOException {
        assertThat(run(response("acts", acting()), pool(), "--json", "--reasoning=full"))
                .isZero();
        assertThat(lines().get(0).get("quadrant").isNull()).isTrue();
        assertThat(lines().get(0).get("total").doubleValue()).isEqualTo(0.375);
    }

    @Test
    void singleStageResponsesAreRewardedAndTheirFormsSpeltInKebabCase() throws IOException {
        String silent = "<rec>无推荐</rec><function>{\"model_recommendation\":[]}</function>";
        for (String reasoning : List.of("--reasoning=rec-function", "--reasoning=THINK-REC-FUNCTION")) {
            assertThat(run(response("silent", silent), pool(), "--json", reasoning))
                    .isZero();
            assertThat(lines().get(0).get("quadrant").asText()).isEqualTo("TN");
        }
        assertThat(run(response("silent", silent), pool(), "--json", "--reasoning=function"))
                .isZero();
        assertThat(lines().get(0).get("quadrant").isNull()).isTrue();
        assertThat(run(response("silent", "x"), pool(), "--reasoning=rec_function"))
                .isEqualTo(ExitCode.USAGE.status());
    }

    @Test
    void anIdThatNoSampleHasIsRefusedBeforeAnythingIsPrinted() throws IOException {
        assertThat(run(response("acts", "x") + response("nobody", "x"), pool(), "--json"))
                .isEqualTo(ExitCode.BAD_DATA.status());
        assertThat(out.size()).isZero();
        assertThat(failure).hasMessageContaining("r.jsonl:2: id \"nobody\" is not in ");
    }

    @Test
    void idsThatStandTwiceInTheGoldAreRefused() throws IOException {
        Files.writeString(directory.resolve("gold.json"), "[" + record("x", "[]") + "," + record("x", "[]") + "]");
        assertThat(run(response("x", "x"), pool())).isEqualTo(ExitCode.BAD_DATA.status());
        assertThat(failure).hasMessageContaining("gold.json").hasMessageContaining("is the id of record 0 already");
    }

    @Test
    void goldThatCallsWhatThePoolLacksIsRefused() throws IOException {
        assertThat(run(response("acts", "x"))).isEqualTo(ExitCode.BAD_DATA.status());
        assertThat(failure)
                .hasMessageContaining("not in the shipped pool")
                .hasMessageContaining("\"ring_alarm\" (sample acts)");
    }

    private int answer(String typed, String... more) throws IOException {
        InputStream keyboard = System.in;
        System.setIn(new ByteArrayInputStream(typed.getBytes(StandardCharsets.UTF_8)));
        try {
            List<String> all = new ArrayList<>(List.of("--responses=-"));
            all.addAll(List.of(more));
            return run("", all.toArray(String[]::new));
        } finally {
            System.setIn(keyboard);
        }
    }

    @Test
    void standardInputIsAnsweredLineByLineAsAFileIs() throws IOException {
        String responses = response("silent", acting()) + response("acts", acting()) + response("acts", "无推荐");
        assertThat(run(responses, pool(), "--json")).isZero();
        List<JsonNode> ofFile = lines();
        assertThat(answer(responses, pool(), "--json")).isZero();
        assertThat(lines()).isEqualTo(ofFile).hasSize(3);
        assertThat(answer("", pool(), "--json")).isZero();
        assertThat(lines()).isEmpty();
    }

    @Test
    void invalidLineOfStandardInput_endsAfterAnsweringEarlierLines() throws IOException {
        assertThat(answer(response("acts", "x") + "oops\n" + response("acts", "x"), pool(), "--json"))
                .isEqualTo(ExitCode.BAD_DATA.status());
        assertThat(lines()).hasSize(1);
        assertThat(failure).hasMessageContaining("standard input:2: is no response: ");
        assertThat(answer(response("nobody", "x"), pool(), "--json")).isEqualTo(ExitCode.BAD_DATA.status());
        assertThat(failure).hasMessageContaining("standard input:1: id \"nobody\" is not in ");
    }
}
