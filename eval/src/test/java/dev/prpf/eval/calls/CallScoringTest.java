package dev.prpf.eval.calls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.statistics.ClopperPearson;
import dev.prpf.data.FunctionCall;
import dev.prpf.eval.calls.CallRows.CallRow;
import dev.prpf.eval.suite.DataFolder;
import dev.prpf.eval.suite.SuiteResult;
import dev.prpf.eval.suite.SuiteRow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CallScoringTest {
    @TempDir
    Path folder;

    private CallScoring scoring;

    @BeforeEach
    void readTasks() throws IOException {
        MadeTasks.bfcl(folder);
        scoring = scoring(Bfcl.SUITE);
    }

    private CallScoring scoring(CallSuite suite) {
        return new CallScoring(suite, suite.tasks(DataFolder.of(suite, folder, Map.of())));
    }

    private static FunctionCall call(String name, String parameters) {
        return new FunctionCall(name, TaskReading.fields(MadeTasks.json(parameters)));
    }

    /** Right: simple_0, parallel_0, irrelevance_0; wrong: simple_1 (value), multiple_0 (function); malformed: irrelevance_1. */
    private static Map<String, Optional<List<FunctionCall>>> answers() {
        FunctionCall moon = call("song", "{'title': 'blue-moon'}");
        Map<String, Optional<List<FunctionCall>>> answers = new LinkedHashMap<>();
        answers.put("simple_0", Optional.of(List.of(moon)));
        answers.put("simple_1", Optional.of(List.of(call("song", "{'title': 'Blue'}"))));
        answers.put("multiple_0", Optional.of(List.of(moon)));
        answers.put("parallel_0", Optional.of(List.of(call("song", "{'title': 'Help'}"), moon)));
        answers.put("irrelevance_0", Optional.of(List.of()));
        answers.put("irrelevance_1", Optional.empty());
        return answers;
    }

    private static CallRow row(SuiteResult.SuiteTable table, int index) {
        return (CallRow) table.rows().get(index);
    }

    @Test
    void theMetricsAreThoseWorkedOutByHand() {
        CallRow row = row(scoring.score("me", answers(), null).primary(), 0);

        assertThat(row.primary()).isTrue();
        assertThat(row.kind()).isEqualTo(SuiteRow.Kind.OURS);
        assertThat(row.n()).isEqualTo(6);
        assertThat(row.accuracy()).isEqualTo(50);
        assertThat(row.categoryAccuracy()).as("50, 0, 100 and 50").isEqualTo(50);
        assertThat(row.nameAccuracy()).as("two simple, parallel, one silence").isEqualTo(100 * 4 / 6.0, within(1e-9));
        assertThat(row.f1()).as("the names of the same four").isEqualTo(100 * 4 / 6.0, within(1e-9));
        assertThat(row.ftr()).as("one silent, one malformed of two").isEqualTo(0.0);
        assertThat(row.ftrCi()).isEqualTo(ClopperPearson.interval(0, 2, 95));
        assertThat(row.malformed()).isEqualTo(100 / 6.0, within(1e-9));
        assertThat(row.conversations()).isNull();
        assertThat(row.accuracyCi()).isNotNull();
    }

    @Test
    void baselines_haveRowsAndOurLeadIsPaired() {
        SuiteResult result = scoring.score("me", answers(), null);

        assertThat(result.reasoner()).isEqualTo("me");
        assertThat(result.textEncoder()).isNull();
        assertThat(result.primary().rows()).hasSize(5);
        CallRow never = row(result.primary(), 2);
        assertThat(never.name()).isEqualTo("never");
        assertThat(never.accuracy()).as("two of six are silent").isEqualTo(100 / 3.0, within(1e-9));
        assertThat(Objects.requireNonNull(never.oursMinus()).accuracy()).isEqualTo(50 - 100 / 3.0, within(1e-9));
        CallRow first = row(result.primary(), 1);
        assertThat(first.accuracy()).as("every function requires a title").isZero();
        assertThat(first.ftr()).isEqualTo(100.0);
        CallRow closest = row(result.primary(), 4);
        assertThat(closest.nameAccuracy()).as("the word song, not film").isEqualTo(100 * 2 / 6.0, within(1e-9));
        assertThat(result.secondary()).singleElement().satisfies(table -> assertThat(table.rows())
                .extracting(one -> one.cells().get(0))
                .containsExactly("simple_python", "multiple", "parallel", "irrelevance"));
        CallRow simple = row(result.secondary().get(0), 0);
        assertThat(simple.accuracy()).isEqualTo(50);
        assertThat(simple.oursMinus()).as("a part of the primary row").isNull();
        assertThat(result.notes().get(1)).endsWith("malformed 1, wrong_function 1, wrong_value 1");
        assertThat(result.text()).contains("* me").contains("Reasoner: me").contains("bfcl_eval's ast_checker");
    }

    @Test
    void withoutAReasonerTheBaselinesAreScoredAndTheFirstIsPrimary() {
        SuiteResult result = scoring.baselines();

        assertThat(result.reasoner()).isNull();
        assertThat(result.primary().rows())
                .hasSize(4)
                .filteredOn(SuiteResult.Row::primary)
                .singleElement()
                .satisfies(row -> assertThat(row.cells().get(0)).isEqualTo(CallScoring.CallBaselines.FIRST));
        assertThat(result.notes()).last().asString().contains("only the baselines");
    }

    @Test
    void everyTaskNeedsAnAnswerAndEveryVerdictIsWritten() throws IOException {
        Map<String, Optional<List<FunctionCall>>> fewer = answers();
        fewer.remove("multiple_0");
        fewer.remove("irrelevance_1");
        assertThatThrownBy(() -> scoring.score("me", fewer, null))
                .isInstanceOf(InvalidDataException.class)
                .hasMessage(
                        "2 of the 6 tasks of suite bfcl have no answer, the first is multiple_0; every task needs one");

        Path verdicts = folder.resolve("verdicts.jsonl");
        scoring.score("me", answers(), verdicts);
        assertThat(Files.readAllLines(verdicts))
                .hasSize(6)
                .contains(
                        "{\"id\":\"simple_1\",\"category\":\"simple_python\",\"right\":false,\"error\":\"wrong_value\"}")
                .contains("{\"id\":\"irrelevance_0\",\"category\":\"irrelevance\",\"right\":true,\"error\":null}");
    }

    @Test
    void aFileOfAnswersHoldsTextsOrCalls() throws IOException {
        Path file = folder.resolve("answers.jsonl");
        Files.write(
                file,
                List.of(
                        "{\"id\": \"simple_0\", \"response\": \"<recommendations>[{\\\"instruction\\\": \\\"\\\","
                                + " \\\"function\\\": [{\\\"name\\\": \\\"song\\\", \\\"parameters\\\":"
                                + " {\\\"title\\\": \\\"Moon\\\"}}]}]</recommendations>\"}",
                        "{\"id\": \"simple_1\", \"calls\": []}",
                        "{\"id\": \"multiple_0\", \"calls\": [[{\"name\": \"film\", \"parameters\": {\"title\": \"Heat\"}}]]}",
                        "{\"id\": \"parallel_0\", \"response\": \"I will.\"}"));

        Map<String, Optional<List<FunctionCall>>> answers = scoring.read(file);

        assertThat(answers.get("simple_0"))
                .hasValueSatisfying(calls -> assertThat(calls).containsExactly(call("song", "{'title': 'Moon'}")));
        assertThat(answers.get("simple_1")).hasValue(List.of());
        assertThat(answers.get("multiple_0")).isPresent();
        assertThat(answers.get("parallel_0")).isEmpty();
        Files.write(file, List.of("{\"id\": \"simple_0\", \"calls\": []}", "{\"id\": \"simple_0\", \"calls\": []}"));
        assertThatThrownBy(() -> scoring.read(file)).hasMessageContaining("id \"simple_0\" is a duplicate");
        Files.write(file, List.of("{\"id\": \"other\", \"calls\": []}"));
        assertThatThrownBy(() -> scoring.read(file))
                .hasMessageContaining("answers.jsonl:1: id \"other\" is not in suite bfcl");
    }

    @Test
    void conversationsCountWholeAndUpToTheFirstWrongAnswer() throws IOException {
        MadeTasks.hammerBench(folder);
        CallScoring hammer = scoring(HammerBench.SUITE);
        Map<String, Optional<List<FunctionCall>>> answers = new LinkedHashMap<>();
        for (CallTask task : hammer.tasks()) {
            boolean first = task.id().endsWith(":0:1");
            boolean asked = task.wanted().isEmpty();
            String city = first && task.conversation() != null ? "{}" : "{'city': '广州'}";
            answers.put(task.id(), Optional.of(asked ? List.of() : List.of(call("Car.fines", city))));
        }
        CallRow right = row(hammer.score("me", answers, null).primary(), 0);
        assertThat(right.accuracy()).isEqualTo(100);
        assertThat(right.conversations()).isEqualTo(100.0);

        answers.put("HammerBench_Based:0:4", Optional.of(List.of()));
        answers.put("HammerBench_mSv:0:1", Optional.of(List.of()));
        CallRow row = row(hammer.score("me", answers, null).primary(), 0);
        assertThat(row.conversations()).as("7 of 9").isEqualTo(100 * 7 / 9.0, within(1e-9));
        assertThat(row.progress()).as("7 whole, one half, one not at all").isEqualTo(100 * 7.5 / 9, within(1e-9));
        assertThat(row.ftr()).isEqualTo(0.0);
    }
}
