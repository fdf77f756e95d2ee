package dev.prpf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.base.command.ResultStream;
import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.RunDirectory.Resume;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class RunsCompareCommandTest {
    @TempDir
    Path directory;

    private final StringWriter refused = new StringWriter();

    private String run(String name, String command, String config, Map<String, Object> facts, double loss) {
        Path path = directory.resolve(name);
        try (RunDirectory run =
                RunDirectory.open(path, Resume.AUTO, new RunDescription(command, List.of(command), config, facts))) {
            run.metric(5, Map.of("loss", 9, "rate", 1));
            run.metric(10, Map.of("loss", loss, "rate", 1));
            run.finish(Map.of("dev", Map.of("recall", 10 * loss)));
        }
        return path.toString();
    }

    private String said(String... runs) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrintStream before = ResultStream.redirect(new PrintStream(out, true, StandardCharsets.UTF_8));
        try {
            new CommandLine(new RunsCommand())
                    .setExecutionExceptionHandler((failure, line, parsed) -> {
                        refused.append(String.valueOf(failure.getMessage()));
                        return 2;
                    })
                    .setErr(new PrintWriter(refused))
                    .execute(
                            Stream.concat(Stream.of("compare"), Stream.of(runs)).toArray(String[]::new));
        } finally {
            ResultStream.redirect(before);
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void whatDiffersIsToldAndWhatIsEqualIsNot() {
        String a = run(
                "a", "reasoner sft", "rate: 0.1\nseed: 42\n", Map.of("data_sha256", "f".repeat(64), "pool", "p"), 0.5);
        String b = run(
                "b", "reasoner sft", "rate: 0.2\nseed: 42\n", Map.of("data_sha256", "e".repeat(64), "pool", "p"), 0.25);
        String said = said(a, b);
        assertThat(said.lines())
                .contains(
                        a + ": done, reasoner sft, step 10",
                        "Differences in data, prompts, weights and settings",
                        "Numbers that differ");
        assertThat(said)
                .containsPattern("Data data_sha256 +ffffffffffff… +eeeeeeeeeeee…")
                .containsPattern("Settings config.rate +0.1 +0.2")
                .containsPattern("loss +0.50000 +0.25000")
                .containsPattern("result.dev.recall +5.0000 +2.5000")
                .doesNotContain("config.seed", "pool", "rate +1");
    }

    @Test
    void otherCommandsAreADifferenceAndAMissingNumberIsADash() {
        String a = run("a", "reasoner sft", "", Map.of(), 0.5);
        String b = run("b", "gate train", "", Map.of("device", "cpu"), 0.5);
        assertThat(said(a, b))
                .containsPattern("Program command +reasoner sft +gate train")
                .containsPattern("Settings device +– +cpu")
                .contains("Numbers that differ: nothing");
    }

    @Test
    void whatIsNoRunOrStandsTwiceIsRefused() {
        String a = run("a", "reasoner sft", "", Map.of(), 0.5);
        assertThat(said(a, directory.toString())).isEmpty();
        assertThat(refused.toString()).contains(directory + ": is not a run directory, it holds no run.json");
        refused.getBuffer().setLength(0);
        assertThat(said(a, a)).isEmpty();
        assertThat(refused.toString()).contains("is a duplicate");
        refused.getBuffer().setLength(0);
        assertThat(said(a)).isEmpty();
        assertThat(refused.toString()).contains("RUN");
    }
}
