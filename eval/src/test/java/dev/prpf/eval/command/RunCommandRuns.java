package dev.prpf.eval.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.base.command.ResultStream;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.io.SampleReader;
import dev.prpf.data.io.SampleWriter;
import dev.prpf.par.cascade.Prediction;
import dev.prpf.par.chat.ChatTemplates;
import dev.prpf.par.command.ReasonerCommand;
import dev.prpf.par.prompt.PromptProvenance;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.prompt.PromptSettings.PoolRendering;
import dev.prpf.par.prompt.PromptSettings.PromptLayout;
import dev.prpf.par.prompt.PromptSettings.PromptWording;
import dev.prpf.par.response.ResponseForm.ReasoningMode;
import dev.prpf.par.tokenizer.Tokenizer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Base of the tests of {@code eval run}: five samples and a small random model. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("slow")
abstract class RunCommandRuns {
    @TempDir
    static Path directory;

    static Path data;

    static Path model;

    static int status;

    static String execute(Object group, String... arguments) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream before = System.out;
        ResultStream.redirect(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        try {
            status = new CommandLine(group)
                    .setCaseInsensitiveEnumValuesAllowed(true)
                    .setExecutionExceptionHandler((e, c, p) -> {
                        ResultStream.line(String.valueOf(e.getMessage()));
                        return e instanceof PrpfException known
                                ? ExitCode.of(known).status()
                                : 1;
                    })
                    .execute(arguments);
        } finally {
            ResultStream.redirect(before);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    static String run(Path out, String... more) {
        return run(out, data, more);
    }

    static String run(Path out, Path records, String... more) {
        String[] base = {
            "run",
            "--data",
            records.toString(),
            "--reasoner",
            model.toString(),
            "--store",
            directory.resolve("store").toString(),
            "--max-new",
            "4",
            "--no-constrained",
            "--batch-size",
            "2",
            "--out",
            out.toString()
        };
        String[] all = new String[base.length + more.length];
        System.arraycopy(base, 0, all, 0, base.length);
        System.arraycopy(more, 0, all, base.length, more.length);
        return execute(new EvalCommand(), all);
    }

    @BeforeAll
    static void make() {
        data = directory.resolve("data.json");
        List<Sample> records = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            records.add(new Sample(
                    "s" + i,
                    1,
                    null,
                    null,
                    new DeviceContext("常去火车站", "电量八成", "下雨".repeat(i)),
                    Trajectory.ofTexts(List.of("打开地图")),
                    null));
        }
        SampleWriter.write(data, records.iterator());
        model = directory.resolve("model");
        Path config = Path.of(System.getProperty("prpf.root", ".."), "configs", "reasoner-init.yaml");
        execute(
                new ReasonerCommand(),
                "init",
                "--config",
                config.toString(),
                "--text",
                data.toString(),
                "--out",
                model.toString(),
                "--set",
                "model.hidden-size=16",
                "--set",
                "model.heads=2",
                "--set",
                "model.key-value-heads=1",
                "--set",
                "model.layers=1",
                "--set",
                "model.intermediate-size=16");
        assertThat(status).isZero();
        PromptSettings settings = new PromptSettings(
                PromptLayout.PREFIX, PromptWording.BRIEF, PoolRendering.NAMES, false, ReasoningMode.NONE, null);
        try (Tokenizer tokenizer = Tokenizer.load(model)) {
            PromptProvenance.of(settings, ChatTemplates.CHATML, tokenizer.sha256())
                    .write(model);
        }
    }

    /** Returns lines without costs, the only part that depends on the other samples of a batch. */
    static List<String> withoutCosts(Path file) {
        return Prediction.read(file).stream()
                .map(prediction -> JsonRecords.write(prediction.withoutCost()))
                .sorted()
                .toList();
    }

    static final String[] DRAWN = {"--gating", "off", "--compress", "off", "--temperature", "1", "--seed"};

    static String[] drawn(String... more) {
        return Stream.concat(Stream.of(DRAWN), Stream.of(more)).toArray(String[]::new);
    }

    /** A file of the same samples, each changed. */
    static Path changed(String name, UnaryOperator<Sample> change) {
        Path file = directory.resolve(name);
        SampleWriter.write(file, SampleReader.readAll(data).stream().map(change).iterator());
        return file;
    }
}
