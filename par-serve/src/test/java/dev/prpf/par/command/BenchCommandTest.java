package dev.prpf.par.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.ModelInit;
import dev.prpf.par.engine.TinyModels;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@Tag("slow")
class BenchCommandTest {
    @TempDir
    Path directory;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private Exception failure = new IllegalStateException("nothing failed");

    @BeforeEach
    void writeModel() throws IOException {
        try (DecoderWeights weights = ModelInit.random(TinyModels.config(40, 64, false), 7)) {
            HuggingFaceDirectory.write(directory, weights, null);
        }
        ResultStream.redirect(new PrintStream(out, true, StandardCharsets.UTF_8));
    }

    private int run(String... arguments) {
        CommandLine line = new CommandLine(new ParCommand()).setCaseInsensitiveEnumValuesAllowed(true);
        line.setExecutionExceptionHandler((exception, command, parsed) -> {
            failure = exception;
            return exception instanceof PrpfException known ? ExitCode.of(known).status() : 1;
        });
        return line.execute(arguments);
    }

    private int bench(String... more) {
        List<String> arguments = new ArrayList<>(List.of("bench", "--model", directory.toString()));
        arguments.addAll(List.of(more));
        return run(arguments.toArray(String[]::new));
    }

    private static void assertSpread(JsonNode spread) {
        assertThat(spread.path("min").doubleValue()).isPositive();
        assertThat(spread.path("median").doubleValue())
                .isBetween(spread.path("min").doubleValue(), spread.path("max").doubleValue());
    }

    @Test
    void everyFormatAndBatchHasARowOfMetrics() throws IOException {
        assertThat(bench("--dtype=fp32,bf16,int8", "--batch=1,3", "--prompt=8", "--new=32", "--rounds=2", "--json"))
                .isZero();

        JsonNode json = new ObjectMapper().readTree(out.toString(StandardCharsets.UTF_8));
        assertThat(json.fieldNames())
                .toIterable()
                .containsExactly(
                        "model",
                        "parameters",
                        "device",
                        "threads",
                        "machine",
                        "prompt",
                        "new",
                        "rounds",
                        "decoders",
                        "scheduler",
                        "responses");
        assertThat(json.path("scheduler")).as("not asked for").isEmpty();
        assertThat(json.path("responses")).as("not asked for").isEmpty();
        assertThat(json.path("machine").fieldNames())
                .toIterable()
                .containsExactly("read_gb_s", "gemm_fp32_gflop_s", "gemm_bf16_gflop_s");
        assertThat(json.path("machine"))
                .allSatisfy(speed -> assertThat(speed.doubleValue()).isPositive());
        assertThat(json.path("threads").intValue()).isPositive();
        assertThat(json.path("decoders").findValuesAsText("dtype"))
                .containsExactly("fp32", "fp32", "bf16", "bf16", "int8", "int8");
        assertThat(json.path("decoders").findValuesAsText("batch")).containsExactly("1", "3", "1", "3", "1", "3");
        for (JsonNode row : json.path("decoders")) {
            assertThat(row.path("products").textValue()).isNotBlank();
            assertSpread(row.path("prefill_tok_s"));
            assertSpread(row.path("decode_tok_s"));
            assertThat(row.path("prefill_of_gemm_peak").doubleValue()).isPositive();
            assertThat(row.path("decode_of_bandwidth").doubleValue()).isPositive();
            assertThat(row.has("resident_mb")).isTrue();
        }
    }

    @Test
    void forPeopleThereIsATable() {
        assertThat(bench("--dtype=bf16", "--batch=2", "--prompt=4", "--new=16", "--rounds=1"))
                .isZero();

        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("threads", "GB/s", "prompts of 4 tokens, 16 new ones", "decode tok/s")
                .containsPattern("bf16 +2 +[0-9.]+ \\([0-9.]+ - [0-9.]+\\)");
    }

    @Test
    void morePositionsThanTheModelHasAreRefusedBeforeAnythingIsMeasured() {
        assertThat(bench("--prompt=40", "--new=25")).isEqualTo(2);
        assertThat(failure).hasMessageContaining("--prompt = 40 and --new = 25").hasMessageContaining("64 positions");
        assertThat(out.size()).isZero();
    }

    @Test
    void figuresOfNothingAreRefused() {
        assertThat(bench("--batch=1,0")).isEqualTo(2);
        assertThat(failure).hasMessage("--batch = 0, must be at least 1");
        assertThat(bench("--rounds=0")).isEqualTo(2);
        assertThat(failure).hasMessage("--rounds = 0, must be at least 1");
        assertThat(bench("--new=0")).isEqualTo(2);
        assertThat(failure).hasMessage("--new = 0, must be at least 1");
    }

    @Test
    void anUnknownShapeIsRefusedWithThoseThatAreKnown() {
        assertThat(run("bench", "--shape", "7b")).isEqualTo(2);
        assertThat(failure).hasMessage("--shape = 7b, must be one of 135m");
    }

    @Test
    void oneModelIsNeeded() {
        assertThat(run("bench")).isEqualTo(2);
        assertThat(bench("--shape=135m")).isEqualTo(2);
    }

    @Test
    void aMissingModelIsUnavailable() {
        assertThat(run("bench", "--model", directory.resolve("none").toString()))
                .isEqualTo(69);
    }

    @Test
    void theSchedulerIsMeasuredWhereItIsAskedFor() throws IOException {
        String[] lengths = {"--dtype=fp32,int8", "--batch=1", "--prompt=12", "--new=16", "--rounds=2", "--prefix=20"};
        List<String> arguments = new ArrayList<>(List.of(lengths));
        arguments.addAll(List.of("--scheduler", "--json"));
        assertThat(bench(arguments.toArray(String[]::new))).isZero();

        JsonNode rows = new ObjectMapper()
                .readTree(out.toString(StandardCharsets.UTF_8))
                .path("scheduler");
        assertThat(rows.findValuesAsText("dtype")).containsExactly("fp32", "int8");
        for (JsonNode row : rows) {
            assertThat(row.fieldNames()).toIterable().containsExactly("dtype", "batching", "prefix", "diverged");
            JsonNode batching = row.path("batching");
            assertThat(batching.path("slots").intValue()).isEqualTo(16);
            assertThat(batching.path("sequences").intValue()).isEqualTo(64);
            // at most half again the means, and the slots are busy until the 49th sequence ends
            assertThat(batching.path("prompt_tokens").longValue()).isBetween(49L * 6, 64L * 18);
            assertThat(batching.path("new_tokens").longValue()).isBetween(49L * 7, 64L * 23);
            for (String speed : List.of("static_prefill_tok_s", "static_decode_tok_s", "seconds", "of_static")) {
                assertSpread(batching.path(speed));
            }
            assertThat(row.path("prefix").path("tokens").intValue()).isEqualTo(20);
            for (String time : List.of("first_ms", "second_ms", "of_first")) {
                assertSpread(row.path("prefix").path(time));
            }
            assertThat(row.path("diverged").doubleValue()).isBetween(0.0, 1.0);
        }
        assertThat(rows.get(0).path("diverged").doubleValue()).as("fp32").isZero();
    }

    @Test
    void theSchedulerHasLinesForPeople() {
        String[] few = {"--dtype=fp32", "--batch=1", "--prompt=4", "--new=4", "--rounds=1", "--prefix=8"};
        List<String> arguments = new ArrayList<>(List.of(few));
        arguments.add("--scheduler");
        assertThat(bench(arguments.toArray(String[]::new))).isZero();

        assertThat(out.toString(StandardCharsets.UTF_8))
                .containsPattern("fp32: 64 sequences of mixed lengths through 16 slots, all busy: [0-9.]+ \\(")
                .containsPattern("of a prompt with the same first 8 tokens after [0-9.]+ ")
                .contains("fp32: 0 % of sequences have other tokens in a batch than alone");
    }

    @Test
    void lengthsOfTheSchedulerThatDoNotFitAreRefused() {
        assertThat(bench("--prompt=8", "--new=8", "--scheduler")).isEqualTo(2);
        assertThat(failure)
                .hasMessage("--prefix = 1500, must be from 1 to 32: the model has 64 positions, 32 of them for the"
                        + " prompts' own ends");
        assertThat(bench("--prompt=8", "--new=8", "--scheduler", "--prefix=0")).isEqualTo(2);
        assertThat(failure).hasMessageContaining("--prefix = 0, must be from 1 to 32");
        assertThat(bench("--prompt=32", "--new=11", "--scheduler", "--prefix=8"))
                .isEqualTo(2);
        assertThat(failure)
                .hasMessage("--prompt = 32 and --new = 11: --scheduler needs at least 2 new tokens and, of the"
                        + " model's 64 positions, one and a half times the sum of both");
        assertThat(bench("--prompt=8", "--new=1", "--scheduler", "--prefix=8")).isEqualTo(2);
        assertThat(failure).hasMessageContaining("--new = 1: --scheduler needs at least 2 new tokens");
        assertThat(out.size()).isZero();
    }
}
