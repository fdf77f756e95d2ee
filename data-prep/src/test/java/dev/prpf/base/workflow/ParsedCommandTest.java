package dev.prpf.base.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

@SuppressWarnings("UnusedVariable") // picocli sets the fields
class ParsedCommandTest {
    private static final Path RUN = Path.of("runs/größer 1");

    @Command(
            name = "prpf",
            subcommands = {Train.class, Grid.class})
    static final class Root {}

    @Command(name = "train")
    static final class Train {
        @Option(names = "--data", required = true)
        private @Nullable Path data;

        @Option(names = "--steps", defaultValue = "8")
        private int steps;

        @Option(names = "--run-dir")
        private @Nullable Path run;

        @Option(names = "--resume")
        private @Nullable String resume;

        @ArgGroup
        private @Nullable Source source;
    }

    static final class Source {
        @Option(names = "--reasoner")
        private @Nullable Path model;

        @Option(names = "--remote")
        private @Nullable Path remote;
    }

    @Command(name = "grid")
    static final class Grid {
        @Option(names = "--run-dir")
        private @Nullable Path run;

        @Parameters
        private List<String> command = List.of();
    }

    private static String resuming(String... arguments) {
        return ParsedCommand.resuming(new CommandLine(new Root()), List.of(arguments), RUN);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "trian --data d",
                "train",
                "train --data",
                "train --data d --steps x",
                "train --data d --data e",
                "train --data d --setps 3",
                "train --data d --reasoner m --remote r",
                "train --data d e",
            })
    void theProblemIsTheErrorThatTheCommandEndsWith(String line) {
        String[] words = line.split(" ");
        String error = catchThrowableOfType(
                        ParameterException.class, () -> new CommandLine(new Root()).parseArgs(words))
                .getMessage();
        CommandLine tree = new CommandLine(new Root());
        assertThat(ParsedCommand.of(tree, List.of(words)).problem()).isEqualTo(error);
        assertThat(ParsedCommand.of(tree, List.of("train", "--data", "d")).problem())
                .as("the next command")
                .isNull();
    }

    @Test
    void aResumedCommandNamesItsRunOnceAndCanBePasted() {
        assertThat(resuming("train", "--data=d", "--resume", "never"))
                .isEqualTo("./prpf train --data=d --run-dir 'runs/größer 1'");
        assertThat(resuming("train", "--data", "größe 2", "--run-dir=x", "--resume=never"))
                .isEqualTo("./prpf train --data 'größe 2' --run-dir=x");
        assertThat(resuming("grid", "--", "train", "--resume", "auto", "--run-dir", "{self}"))
                .isEqualTo("./prpf grid --run-dir 'runs/größer 1' -- train --resume auto --run-dir '{self}'");
    }

    @Test
    void valuesAreThoseGivenOrTheDefault() {
        ParsedCommand command = ParsedCommand.of(new CommandLine(new Root()), List.of("train", "--data", "a=b"));
        assertThat(command.name()).isEqualTo("train");
        assertThat(command.value("--data")).isEqualTo("a=b");
        assertThat(command.value("--steps")).isNull();
        assertThat(command.effective("--steps")).isEqualTo("8");
        assertThat(command.with("--steps", "9")).containsExactly("train", "--data", "a=b", "--steps", "9");
    }
}
