package dev.prpf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.par.chat.ChatTemplates.ChatMl;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** Checks common rules of all commands; a new command is checked once it is registered. */
@Tag("slow")
class CommandLineTest {
    /** One tree for all tests: it takes a tenth of a second to build. */
    private static final CommandLine TREE = Main.commandLine();

    private final Path directory = CommandWorker.emptyFolder();

    static Stream<String> commands() {
        List<String> paths = new ArrayList<>();
        collect("", TREE, paths);
        return paths.stream();
    }

    private static void collect(String path, CommandLine line, List<String> paths) {
        boolean alone =
                line.getCommandSpec().findOption("--json") != null; // it does something without a subcommand too
        if (line.getSubcommands().isEmpty() || alone) {
            paths.add(path.strip());
        }
        line.getSubcommands().forEach((name, command) -> collect(path + " " + name, command, paths));
    }

    private static List<String> words(String path) {
        return List.of(path.split(" ", -1));
    }

    private static CommandLine find(String path) {
        CommandLine line = TREE;
        for (String name : words(path)) {
            line = Objects.requireNonNull(line.getSubcommands().get(name), name);
        }
        return line;
    }

    @ParameterizedTest
    @MethodSource("commands")
    void helpSaysWhatForAndGivesAnExample(String path) {
        CommandLine command = find(path);
        assertThat(command.getCommandSpec().usageMessage().description())
                .as("description")
                .isNotEmpty();
        String usage = command.getUsageMessage(CommandLine.Help.Ansi.OFF);
        assertThat(usage).contains("Example", "prpf " + path, "--help");
    }

    @ParameterizedTest
    @MethodSource("commands")
    void everyOptionIsDescribed(String path) {
        assertThat(find(path).getCommandSpec().options()).allSatisfy(option -> assertThat(option.description())
                .as(option.longestName())
                .isNotEmpty());
    }

    @ParameterizedTest
    @MethodSource("commands")
    void anUnknownOptionIsWrongUsageAndSaysSoOnStandardErrorOnly(String path) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        List<String> arguments = new ArrayList<>(words(path));
        arguments.add("--no-such-option");
        int exitCode = TREE.setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments.toArray(String[]::new));
        assertThat(exitCode).isEqualTo(2);
        assertThat(out.toString()).isEmpty();
        assertThat(err.toString().lines())
                .as("also where options that must be given are missing")
                .hasSizeLessThanOrEqualTo(3)
                .startsWith("error: unknown option --no-such-option")
                .endsWith("       see ./prpf " + path + " --help");
    }

    @ParameterizedTest
    @CsvSource({
        "trainn, unknown command \"prpf trainn\", did you mean train?, ./prpf --help",
        "gate tran, unknown command \"prpf gate tran\", did you mean train?, ./prpf gate --help",
        "gate train --dat=x, unknown option --dat, did you mean --data?, ./prpf gate train --help",
        "gate sweep --confidnce 9, unknown option --confidnce, did you mean --confidence?, ./prpf gate sweep --help"
    })
    void aMistypedName_isAnsweredInThreeLines(String typed, String error, String similar, String help) {
        StringWriter err = new StringWriter();
        TREE.setErr(new PrintWriter(err)).execute(typed.split(" "));
        assertThat(err.toString().lines())
                .containsExactly("error: " + error, "       " + similar, "       see " + help);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
            score             | unknown command "prpf score"
            gate train -x     | unknown option -x
            gate train --k 5  | unknown option --k
            train a b         | unexpected argument "b"; prpf train takes one argument, RECIPE
            config copy a b c | unexpected argument "c"; prpf config copy takes 2 arguments, NAME FILE
            doctor a          | unexpected argument "a"; prpf doctor takes no arguments
            """)
    void anotherName_isAnsweredWithoutASuggestion(String typed, String error) {
        StringWriter err = new StringWriter();
        TREE.setErr(new PrintWriter(err)).execute(typed.split(" "));
        assertThat(err.toString().lines()).hasSize(2).startsWith("error: " + error);
    }

    @ParameterizedTest
    @MethodSource("commands")
    void descriptions_endWithTheirSentence(String path) {
        CommandSpec spec = find(path).getCommandSpec();
        assertThat(spec.usageMessage().description()[0])
                .as("shown in lists of commands")
                .endsWith(".");
        assertThat(Stream.concat(spec.options().stream(), spec.positionalParameters().stream()))
                .allSatisfy(one -> assertThat(one.description())
                        .allSatisfy(line -> assertThat(line).matches("(?s).*[.;:]")));
    }

    @Test
    void longHelp_groupsOptions() {
        String usage = find("reasoner sft").getUsageMessage(CommandLine.Help.Ansi.OFF);
        assertThat(usage).contains("\nOptions:\n", "\nData:\n", "\nConfiguration, run and output:\n");
        assertThat(usage.indexOf("--pool=FILE "))
                .isBetween(usage.indexOf("Data:"), usage.indexOf("Configuration, run"));
        assertThat(find("try").getUsageMessage(CommandLine.Help.Ansi.OFF))
                .as("a short one")
                .doesNotContain("output:");
    }

    @Test
    void version_namesCommitBuildAndJdk() {
        StringWriter out = new StringWriter();
        TREE.setOut(new PrintWriter(out)).execute("--version");
        assertThat(out.toString()).matches("prpf \\S+ \\(\\S+, \\S+, JDK \\d\\S*\\)\n");
    }

    @Test
    void completion_knowsCommandsAndOptions() {
        assertThat(CommandWorker.run("completion").stdout())
                .contains("complete -F _complete_prpf", "'--bound-ftr'", "rollout-set")
                .contains("enzh_option_args=(\"zh\" \"en\")", "\"think-rec-function\"")
                .contains("\"quickstart/reasoner-sft-single\"")
                .doesNotContainPattern("_option_args=\\(\"[A-Z]");
    }

    @Test
    void examplesStandInTheHelpAsTheyAreTyped() {
        StringWriter out = new StringWriter();
        TREE.setOut(new PrintWriter(out)).execute("eval", "run", "--help");
        assertThat(out.toString().lines())
                .contains(
                        "  ./prpf eval run --data data/synth/test/benchmark_zh.json --images data/synth/test \\",
                        "      --gate runs/gate --reasoner runs/reasoner/model --out runs/cascade/predictions.jsonl");
    }

    @Test
    void everyCommandThatSpeaksJsonHasATestThatParsesItsWholeStandardOutput() {
        assertThat(commands().filter(path -> find(path).getCommandSpec().findOption("--json") != null))
                .as("run a new command in the subclass of JsonContract for its group, then name it here")
                .containsExactlyInAnyOrder(
                        "quickstart", // and the four below in CascadeCommandsTest
                        "train",
                        "init",
                        "evaluate",
                        "try",
                        "runs",
                        "launch",
                        "launch status",
                        "launch cancel",
                        "launch resume",
                        "runs compare",
                        "runs track",
                        "grid",
                        "grid gather",
                        "doctor",
                        "data validate",
                        "data import",
                        "data feedback",
                        "data stats",
                        "data synth",
                        "data blind",
                        "data encode",
                        "data generate",
                        "data review",
                        "data sft-set",
                        "data calls",
                        "data rollout-set",
                        "data export",
                        "data hub get",
                        "gate train",
                        "gate sweep",
                        "gate predict",
                        "reasoner init",
                        "reasoner adopt",
                        "reasoner respond",
                        "reasoner generate",
                        "reasoner bench",
                        "reasoner sft",
                        "reasoner grpo",
                        "reasoner reward",
                        "serve",
                        "eval run",
                        "eval merge",
                        "eval score",
                        "eval compare",
                        "eval ablate",
                        "eval efficiency",
                        "eval report",
                        "eval judges",
                        "eval episodes import",
                        "eval episodes score",
                        "eval world import",
                        "eval world check",
                        "eval world run",
                        "eval suite");
    }

    @Test
    void aRenderedPromptIsTheWholeStandardOutput() throws IOException {
        Files.writeString(directory.resolve("t.jinja"), ChatMl.TEMPLATE);
        Files.writeString(directory.resolve("m.json"), "[{\"role\": \"user\", \"content\": \"你好 🎷\"}]");

        CommandProcess.Result result = CommandWorker.run(
                "reasoner", "render", "--template", "t.jinja", "--messages", "m.json", "--thinking", "off");

        assertThat(result.exitCode()).isZero();
        assertThat(result.stdout()).isEqualTo("<|im_start|>user\n你好 🎷<|im_end|>\n<|im_start|>assistant\n");
        assertThat(result.stderr()).contains("the template prpf has no switch for thinking");
    }

    @Test
    void helpGoesToStandardOutput() {
        CommandProcess.Result result = CommandWorker.run("eval", "score", "--help");
        assertThat(result.exitCode()).isZero();
        assertThat(result.stdout()).startsWith("Usage: prpf eval score");
        assertThat(result.stderr()).isEmpty();
    }

    @Test
    void helpIsACommandToo() {
        assertThat(CommandWorker.run("help")).isEqualTo(CommandWorker.run("--help"));
        assertThat(CommandWorker.run("help", "gate", "train")).isEqualTo(CommandWorker.run("gate", "train", "--help"));
    }

    @Test
    void noCommandIsWrongUsage() {
        CommandProcess.Result result = CommandWorker.run();
        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.stdout()).isEmpty();
        assertThat(result.stderr())
                .startsWith("error: a command is needed\nUsage: prpf [-hV] [COMMAND]\n")
                .contains("\n  quickstart ");
        assertThat(CommandWorker.run("gate").stderr()).contains("Usage: prpf gate [-hV] [COMMAND]\n");
    }
}
