package dev.prpf.eval.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.cli.CommandProcess;
import dev.prpf.cli.CommandWorker;
import dev.prpf.eval.calls.MadeTasks;
import dev.prpf.eval.suite.Suite;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class SuiteCommandTest {
    private final Path folder = CommandWorker.emptyFolder();

    @Test
    void absentDataLeaveWith69AndNameTheirSource() {
        CommandProcess.Result byProperty = CommandProcess.in(folder)
                .withEnvironment(Map.of("PRPF_TESTDATA", ""))
                .with("prpf.testdata", folder.resolve("absent").toString())
                .run("eval", "suite", "proactivebench", "--text-encoder=bge-small-zh-v1.5", "--json");

        assertThat(byProperty.exitCode()).isEqualTo(69);
        assertThat(byProperty.stdout()).isEmpty();
        assertThat(byProperty.stderr())
                .contains("reward_data is missing below " + folder.resolve("absent"))
                .contains("thunlp/ProactiveAgent at commit 86383616")
                .contains(
                        "`git clone https://github.com/thunlp/ProactiveAgent && git -C ProactiveAgent checkout 86383616`")
                .contains("--data", "PRPF_TESTDATA");
    }

    @Test
    void withoutAnyFolderNamedNoneOutsideTheCheckoutIsLookedInto() {
        CommandProcess.Result result = CommandProcess.in(folder)
                .withEnvironment(Map.of("PRPF_TESTDATA", ""))
                .run("eval", "suite", "knowu");

        assertThat(result.exitCode()).isEqualTo(69);
        assertThat(result.stderr())
                .contains("suite knowu: no folder of its data is named")
                .contains("git clone https://github.com/ZJU-REAL/KnowU-Bench && git -C KnowU-Bench checkout 0dd79895");
    }

    @Test
    void helpListsEverySuiteAndTheCommandThatGetsItsData() {
        CommandProcess.Result result = CommandWorker.run("eval", "suite", "--help");

        assertThat(result.exitCode()).isZero();
        assertThat(result.stdout().lines())
                .contains("  contextagent          is help due? 600 records of wearable devices, 5 folds")
                .contains(
                        "  git clone https://github.com/openaiotlab/ContextAgent && git -C ContextAgent checkout 6ef60ce8");
        assertThat(result.stdout()).contains("PRPF_TESTDATA", "--data").doesNotContain("../");
    }

    @Test
    void everySuiteIsListedOnceWithSourceAndPlace() {
        assertThat(SuiteCommand.all()).extracting(Suite::name).doesNotHaveDuplicates();
        assertThat(SuiteCommand.all()).allSatisfy(suite -> {
            assertThat(suite.about()).isNotBlank();
            assertThat(suite.place()).matches("(gate|function-calling|pare)/[a-z-]+");
            assertThat(suite.source().licence()).isIn("MIT", "Apache-2.0");
            assertThat(suite.source().command()).startsWith("git clone https://github.com/");
        });
    }

    @Test
    void anUnknownSuiteIsAUsageError() {
        CommandProcess.Result result = CommandWorker.run("eval", "suite", "nosuch");

        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.stdout()).isEmpty();
        assertThat(result.stderr())
                .contains(
                        "no suite 'nosuch'; there are proactivebench, proactivebench-tasks, contextagent, knowu, bfcl, hammerbench, acebench, pare");
    }

    @Test
    void anUnknownTextEncoderIsAUsageErrorBeforeAnyDataAreRead() {
        CommandProcess.Result result =
                CommandWorker.run("eval", "suite", "knowu", "--text-encoder", "bge-large", "--data=absent");

        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.stdout()).isEmpty();
        assertThat(result.stderr())
                .contains("--text-encoder = bge-large must be bge-small-zh-v1.5, bge-small-en-v1.5, e5-small-v2, ")
                .contains("or dir:PATH");
    }

    @Test
    void aTextEncoderWhoseFilesAreMissingLeavesWith69() {
        CommandProcess.Result result =
                CommandWorker.run("eval", "suite", "knowu", "--text-encoder=dir:mine", "--data=absent");

        assertThat(result.exitCode()).isEqualTo(69);
        assertThat(result.stderr()).contains("mine").contains("encoder.yaml");
    }

    @Test
    void encodersThatASuiteDoesNotTakeAreUsageErrors() {
        assertUsage(
                "--text-encoder names 2 encoders, suite proactivebench-tasks takes one; name one",
                "proactivebench-tasks",
                "--text-encoder=e5-small-v2,all-minilm-l6-v2");
        assertUsage(
                "--text-encoder names e5-small-v2, e5-small-v2, with a duplicate encoder; name each once",
                "knowu",
                "--text-encoder=e5-small-v2,e5-small-v2");
        assertUsage("--text-encoder = bge-large must be", "knowu", "--text-encoder=e5-small-v2,bge-large");
    }

    @Test
    void withoutANameEverySuiteIsListedWithSourceCommitAndLicence() {
        CommandProcess.Result result = CommandWorker.run("eval", "suite");

        assertThat(result.exitCode()).isZero();
        assertThat(result.stdout().lines())
                .contains(
                        "                        github.com/ACEBench/ACEBench at commit e6db74b7, MIT",
                        "                        github.com/ShishirPatil/gorilla at commit 6ea57973, Apache-2.0")
                .anySatisfy(line -> assertThat(line).startsWith("  hammerbench "));
    }

    @Test
    void optionsOfTheOtherKindOfSuiteAreUsageErrors() {
        assertUsage(
                "--reasoner is for function-calling suites; suite knowu is of another kind", "knowu", "--reasoner=m");
        assertUsage("--max-new is for function-calling suites", "knowu", "--max-new=3");
        assertUsage("--text-encoder is for suites of gates; suite bfcl is of another kind", "bfcl", "--text-encoder=x");
        assertUsage("--runs is for suites of episodes; suite bfcl is of another kind", "bfcl", "--runs=2");
        assertUsage("--reasoner is for function-calling suites; suite pare is of another kind", "pare", "--reasoner=m");
    }

    @Test
    void aReasonerOfCallsNeedsItsOptionsAndNoOthers() throws IOException {
        MadeTasks.bfcl(folder);
        assertUsage("name the folder that keeps the answers with --run-dir", "bfcl", "--data=.", "--reasoner=m");
        assertUsage("--max-new is for --reasoner", "bfcl", "--data=.", "--max-new=3");
        assertUsage("--set overrides keys of a --remote file", "bfcl", "--data=.", "--set=a=b");
        assertUsage("--run-dir keeps the answers of --reasoner", "bfcl", "--data=.", "--run-dir=r");
        assertUsage("--resume is for --reasoner and --remote", "bfcl", "--data=.", "--resume=never");
        assertUsage(
                "--max-new = 0 must be at least 1", "bfcl", "--data=.", "--reasoner=m", "--max-new=0", "--run-dir=r");
        assertUsage("mutually exclusive", "bfcl", "--data=.", "--reasoner=m", "--remote=r");
    }

    private void assertUsage(String message, String... arguments) {
        CommandProcess.Result result = CommandWorker.run(
                Stream.concat(Stream.of("eval", "suite"), Stream.of(arguments)).toArray(String[]::new));

        assertThat(result.stderr()).contains(message);
        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.stdout()).isEmpty();
    }
}
