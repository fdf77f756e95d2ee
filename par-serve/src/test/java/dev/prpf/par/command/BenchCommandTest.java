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
        CommandLine line = new CommandLine(new ReasonerCommand()).setCaseInsensitiveEnumValuesAllowed(true);
        line.setExecutionExceptionHandler((exception, command, parsed) -> {
            failure = exception;
            return exception instanceof PrpfException known ? ExitCode.of(known).status() : 1;
        });
        return line.execute(arguments);
    }

    private int bench(String... more) {
        List<String> arguments = new ArrayList<>(List.of("bench", "--reasoner", directory.toString()));
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
                        "model", "parameters", "device", "threads", "machine", "prompt", "new", "rounds", "decoders");
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
    void tooManyPositions_areRefusedBeforeMeasuring() {
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
        assertThat(run("bench", "--reasoner", directory.resolve("none").toString()))
                .isEqualTo(69);
    }
}
