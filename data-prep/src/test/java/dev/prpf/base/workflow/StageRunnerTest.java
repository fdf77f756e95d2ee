package dev.prpf.base.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.command.ResultStream;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.GateFailedException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.run.StopSignal;
import dev.prpf.base.workflow.StageRunner.CommandRunner;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

class StageRunnerTest {
    private static final String AGAIN = "./prpf quickstart --run-dir q";

    @TempDir
    Path directory;

    @Command(name = "left")
    private static final class Left implements Callable<Integer> {
        @Parameters(arity = "0..1")
        private String how = "";

        @Override
        public Integer call() throws IOException {
            ResultStream.line("a result");
            return switch (how) {
                case "stopped" -> throw StopSignal.checkpointed(7, "q/mpp");
                case "io" -> throw new IOException("no room");
                case "65" -> ExitCode.BAD_DATA.status();
                case "11" -> ExitCode.GATE_FAILED.status();
                default -> 0;
            };
        }
    }

    private static final InThisProcess HERE = new InThisProcess(() -> new CommandLine(new Left()));

    private StageRunner runner() {
        return new StageRunner(directory.resolve("stages.json"), AGAIN);
    }

    /** The stage's command differs from the typed one, and the default run directory has the time. */
    @Test
    void aStageThatWasStoppedNamesTheCommandThatGoesOn() {
        StageRunner runner = runner();
        Stage stage = new Stage("gate", "train", List.of(List.of("stopped")));

        assertThatThrownBy(() -> runner.run(stage, HERE, 1, 1))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.CHECKPOINTED))
                .hasMessageContaining("step 7")
                .hasMessageContaining("to resume all stages: " + AGAIN);
        assertThat(runner.seconds()).isEmpty();
    }

    /** After a kill at any command, the next start runs only the remaining commands. */
    @Test
    void stagesThatAreDoneAreNotDoneAgain() throws IOException {
        List<Stage> stages = List.of(
                new Stage("a", "first", List.of(List.of("a1"), List.of("a2"))),
                new Stage("b", "second", List.of(List.of("b1"))),
                new Stage("c", "third", List.of(List.of("c1"))));
        for (String killedAt : List.of("a1", "a2", "b1", "c1")) {
            Files.deleteIfExists(directory.resolve("stages.json"));
            List<String> ran = new ArrayList<>();
            assertThatThrownBy(() -> all(stages, ran, killedAt)).hasMessage("killed");
            List<String> before = List.copyOf(ran);
            assertThat(before).last().isEqualTo(killedAt);
            ran.clear();
            all(stages, ran, "");
            assertThat(ran).first().isEqualTo(killedAt.charAt(0) + "1");
            assertThat(ran).last().isEqualTo("c1");
            assertThat(runner().seconds()).containsOnlyKeys("a", "b", "c");
        }
    }

    private void all(List<Stage> stages, List<String> ran, String killedAt) {
        StageRunner runner = runner();
        CommandRunner recording = command -> {
            ran.add(command.get(0));
            if (command.get(0).equals(killedAt)) {
                throw new IllegalStateException("killed");
            }
        };
        stages.forEach(stage -> runner.run(stage, recording, 1, stages.size()));
    }

    @Test
    void aStageThatAnotherProcessEndedIsDone() {
        runner().took("a", 12.34);
        assertThat(runner().seconds()).containsExactly(Map.entry("a", 12.3));
        List<String> ran = new ArrayList<>();
        runner().run(
                        new Stage("a", "first", List.of(List.of("a1"))),
                        command -> ran.add(String.join(" ", command)),
                        1,
                        1);
        assertThat(ran).isEmpty();
    }

    @Test
    void aRecordThatIsNoneIsRefused() throws IOException {
        Files.writeString(directory.resolve("stages.json"), "{\"a\":");
        assertThatThrownBy(this::runner)
                .isInstanceOf(InvalidDataException.class)
                .hasMessageContaining("stages.json: is not a record of finished stages");
    }

    @Test
    void inThisProcessResultsAreProgressAndFailuresStayWhatTheyAre() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrintStream before = ResultStream.redirect(new PrintStream(out, true, StandardCharsets.UTF_8));
        try {
            HERE.run(List.of());
            ResultStream.line("ours");
        } finally {
            ResultStream.redirect(before);
        }
        assertThat(out.toString(StandardCharsets.UTF_8)).isEqualToIgnoringNewLines("ours");
        ByteArrayOutputStream kept = new ByteArrayOutputStream();
        assertThat(HERE.call(List.of(), new PrintStream(kept, true, StandardCharsets.UTF_8)))
                .isEqualTo(0);
        assertThat(kept.toString(StandardCharsets.UTF_8)).isEqualToIgnoringNewLines("a result");
        assertThatThrownBy(() -> HERE.run(List.of("io"))).hasRootCauseMessage("no room");
        assertThatThrownBy(() -> HERE.run(List.of("65")))
                .isInstanceOf(InvalidDataException.class)
                .hasMessage("the command above left with 65; the lines above say why");
        assertThatThrownBy(() -> HERE.run(List.of("11")))
                .isInstanceOf(GateFailedException.class)
                .hasMessageContaining("the command above left with 11");
    }

    /** A main method that exits with its argument's status. */
    public static final class Leaves {
        private Leaves() {}

        public static void main(String[] arguments) {
            System.exit(Integer.parseInt(arguments[0]));
        }
    }

    @Test
    void aProcessOfItsOwnFailsAsTheCommandInIt() {
        InOwnProcess apart = new InOwnProcess(Leaves.class.getName());
        apart.run(List.of("0"));
        for (ExitCode code : List.of(ExitCode.USAGE, ExitCode.BAD_DATA, ExitCode.UNAVAILABLE, ExitCode.CHECKPOINTED)) {
            String status = Integer.toString(code.status());
            assertThatThrownBy(() -> apart.run(List.of(status)))
                    .hasMessageContaining("the command above left with " + status)
                    .satisfies(e -> assertThat(ExitCode.of(e)).isEqualTo(code));
        }
        assertThatThrownBy(() -> apart.run(List.of(Integer.toString(ExitCode.GATE_FAILED.status()))))
                .as("both runners tell a failure alike")
                .isInstanceOf(GateFailedException.class);
        assertThatThrownBy(() -> apart.run(List.of("137"))).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aCommandIsShownAsItIsTyped() {
        assertThat(Stage.typed(List.of("data", "synth", "--out", "my data", "it's")))
                .isEqualTo("./prpf data synth --out 'my data' 'it'\\''s'");
        assertThat(Stage.typed(
                        List.of("gate", "train", "--set=a.b=[1,2]", "p$HOME", "a;b", "~/x", "", "数据", "r/x-1.0,y:z@2")))
                .as("what a shell would read otherwise")
                .isEqualTo("./prpf gate train '--set=a.b=[1,2]' 'p$HOME' 'a;b' '~/x' '' '数据' r/x-1.0,y:z@2");
    }
}
