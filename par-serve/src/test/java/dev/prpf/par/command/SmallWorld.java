package dev.prpf.par.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.base.command.ResultStream;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.command.SynthCommand;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine;

/** Two dozen text samples and a random two-layer model that knows their words, for tests of commands. */
final class SmallWorld {
    static final Path CONFIGS = Path.of(System.getProperty("prpf.root", "..")).resolve("configs");

    private final Path folder;

    private SmallWorld(Path folder) {
        this.folder = folder;
    }

    /** Makes it in an empty folder. */
    static SmallWorld in(Path folder) {
        SmallWorld world = new SmallWorld(folder);
        ResultStream.redirect(new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8));
        assertThat(new CommandLine(new SynthCommand())
                        .execute("--out", world.synth().toString(), "--count", "24", "--multimodal-share", "0"))
                .isZero();
        run(
                0,
                List.of(
                        "init",
                        "--config",
                        CONFIGS.resolve("reasoner-init.yaml").toString(),
                        "--text",
                        world.data().toString(),
                        "--out",
                        world.model().toString(),
                        "--set",
                        "model.hidden-size=32",
                        "--set",
                        "model.intermediate-size=48",
                        "--set",
                        "model.layers=2",
                        "--set",
                        "model.heads=4",
                        "--set",
                        "model.key-value-heads=2"));
        return world;
    }

    private Path synth() {
        return folder.resolve("synth");
    }

    Path data() {
        return synth().resolve("benchmark_zh.json");
    }

    Path model() {
        return folder.resolve("base");
    }

    /** Runs {@code prpf reasoner}: the exit status; an exception's message goes to the result stream. */
    static int execute(String... arguments) {
        CommandLine line = new CommandLine(new ReasonerCommand()).setCaseInsensitiveEnumValuesAllowed(true);
        line.setExecutionExceptionHandler((exception, command, parsed) -> {
            ResultStream.line(String.valueOf(exception.getMessage()));
            return exception instanceof PrpfException known ? ExitCode.of(known).status() : 1;
        });
        return line.execute(arguments);
    }

    /** Runs {@code prpf reasoner} and gives what it says on standard output. */
    static String run(int expectedStatus, List<String> arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ResultStream.redirect(new PrintStream(out, true, StandardCharsets.UTF_8));
        int status = execute(arguments.toArray(new String[0]));
        String said = out.toString(StandardCharsets.UTF_8);
        assertThat(status).as(said).isEqualTo(expectedStatus);
        return said;
    }
}
