package dev.prpf.par.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.base.command.ResultStream;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.run.StopSignal;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.ModelInit;
import dev.prpf.par.engine.TinyModels;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Commands that compute with the engine and save nothing on their way leave with 75, and without half a result. */
class EngineSignalTest {
    @TempDir
    Path directory;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    @BeforeEach
    void writeModel() throws IOException {
        try (DecoderWeights weights = ModelInit.random(TinyModels.config(40, 64, false), 7)) {
            HuggingFaceDirectory.write(directory, weights, null);
        }
        ResultStream.redirect(new PrintStream(out, true, StandardCharsets.UTF_8));
    }

    private static StopSignal came() {
        StopSignal stop = StopSignal.install();
        stop.request();
        return stop;
    }

    private void assertLeaves(Object command, String... arguments) {
        CommandLine line = new CommandLine(command).setCaseInsensitiveEnumValuesAllowed(true);
        line.setExecutionExceptionHandler((exception, any, parsed) -> {
            assertThat(exception)
                    .isInstanceOf(PrpfException.class)
                    .hasMessage("stopped by a signal before there was a result, and nothing was saved;"
                            + " run the same command again");
            return ExitCode.of(exception).status();
        });
        assertThat(line.execute(arguments)).isEqualTo(ExitCode.CHECKPOINTED.status());
        assertThat(out.toString(StandardCharsets.UTF_8)).isEmpty();
    }

    @Test
    void generate() {
        GenerateCommand generate = new GenerateCommand();
        generate.signals = EngineSignalTest::came;
        assertLeaves(generate, "--reasoner=" + directory, "--ids=5,9,2", "--ignore-eos", "--max-new=60", "--json");
    }

    @Test
    void logits() throws IOException {
        Path file = directory.resolve("logits.safetensors");
        LogitsCommand logits = new LogitsCommand();
        logits.signals = EngineSignalTest::came;
        assertLeaves(logits, "--reasoner=" + directory, "--ids=5,9,2", "--out=" + file);
        assertThat(file).doesNotExist();
        try (var files = Files.list(directory)) {
            assertThat(files).noneMatch(path -> path.toString().endsWith(".partial"));
        }
    }

    @Test
    void bench() {
        BenchCommand bench = new BenchCommand();
        bench.signals = EngineSignalTest::came;
        assertLeaves(
                bench,
                "--reasoner=" + directory,
                "--dtype=fp32",
                "--batch=1",
                "--prompt=8",
                "--new=8",
                "--rounds=100000",
                "--json");
    }
}
