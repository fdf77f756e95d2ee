package dev.prpf.data.calls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.base.error.ExitCode;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.FunctionSpec.ParameterSpec;
import dev.prpf.data.ThirdPartyRecords;
import dev.prpf.data.io.FunctionCallJson;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CallRecordReaderTest {
    private static final String QUESTION = "[[{\"role\": \"user\", \"content\": \"Boil two eggs for 7 minutes.\"}]]";
    private static final String FUNCTION =
            "{\"name\": \"kitchen.boil\", \"description\": \"Boils food.\", \"parameters\": {\"type\": \"dict\","
                    + " \"properties\": {\"food\": {\"type\": \"string\", \"description\": \"what\"},\"count\": {\"type\":"
                    + " \"integer\", \"description\": \"how many\"},\"minutes\": {\"type\": \"float\", \"description\":"
                    + " \"how long\", \"default\": 5},\"salted\": {\"type\": \"boolean\"},\"size\": {\"type\": \"string\","
                    + " \"enum\": [\"small\", \"large\"]},\"extras\": {\"type\": \"array\", \"items\": {\"type\":"
                    + " \"string\", \"enum\": [\"timer\"]}}}, \"required\": [\"food\", \"count\"]}}";
    private static final String TRUTH =
            "[{\"kitchen.boil\": {\"food\": [\"egg\", \"eggs\"], \"count\": [2], \"minutes\": [7, 7.5], \"salted\":"
                    + " [\"\", false]}}]";

    @TempDir
    private Path folder;

    private static String record(String id, String question, String functions) {
        return "{\"id\": \"" + id + "\", \"question\": " + question + ", \"function\": " + functions + "}";
    }

    private static String truth(String id, String calls) {
        return "{\"id\": \"" + id + "\", \"ground_truth\": " + calls + "}";
    }

    private Path file(String name, String... lines) {
        try {
            return Files.write(folder.resolve(name), List.of(lines));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<CallRecord> read(String record, String truth) {
        return CallRecordReader.read(file("q.json", record), file("a.json", truth));
    }

    @Test
    void aLineByItselfIsReadAsInItsFile() {
        String question = record("a", QUESTION, "[" + FUNCTION + "]");
        CallRecordReader.Source asked = new CallRecordReader.Source("questions: record 7", question);
        CallRecordReader.Source answered = new CallRecordReader.Source("answers: record 3", truth("a", TRUTH));
        assertThat(asked.id()).isEqualTo("a");
        assertThat(CallRecordReader.parse(asked, answered))
                .isEqualTo(read(question, truth("a", TRUTH)).get(0));
        assertThat(CallRecordReader.parse(asked, null).acts()).isFalse();
        CallRecordReader.Source wrong = new CallRecordReader.Source("answers: record 3", truth("a", "[]"));
        assertThatThrownBy(() -> CallRecordReader.parse(asked, wrong))
                .hasMessageStartingWith("answers: record 3: is not a function-calling record: \"ground_truth\" must be")
                .extracting(e -> ExitCode.of(e).status())
                .isEqualTo(65);
        assertThatThrownBy(() -> new CallRecordReader.Source("questions: record 8", "{}").id())
                .hasMessageStartingWith("questions: record 8: is not a function-calling record: \"id\" = null");
    }

    private static String answer(CallRecord record, int i) {
        return FunctionCallJson.write(record.answers(64).get(i)).toString();
    }

    @Test
    void aRecordHasItsRequestFunctionsAndAcceptedAnswers() {
        CallRecord record = read(record("r1", QUESTION, "[" + FUNCTION + "]"), truth("r1", TRUTH))
                .get(0);

        assertThat(record.requests()).containsExactly("Boil two eggs for 7 minutes.");
        assertThat(record.acts()).isTrue();
        FunctionSpec function = record.functions().get(0);
        assertThat(function.name()).isEqualTo("kitchen.boil");
        assertThat(function.parameters())
                .extracting(ParameterSpec::name, ParameterSpec::type, ParameterSpec::required)
                .containsExactly(
                        tuple("food", "string", true),
                        tuple("count", "int", true),
                        tuple("minutes", "float", false),
                        tuple("salted", "bool", false),
                        tuple("size", "string", false),
                        tuple("extras", "list", false));
        assertThat(function.parameters().get(4).enumeration())
                .containsExactly(TextNode.valueOf("small"), TextNode.valueOf("large"));
        assertThat(function.parameters().get(5).enumeration()).containsExactly(TextNode.valueOf("timer"));
        assertThat(record.answers(64)).hasSize(2 * 2 * 2);
        assertThat(answer(record, 0))
                .isEqualTo("[{\"name\":\"kitchen.boil\",\"parameters\":{\"food\":\"egg\",\"count\":2,\"minutes\":7}}]");
        assertThat(answer(record, 1)).contains("\"minutes\":7,\"salted\":false");
        assertThat(answer(record, 7)).contains("\"food\":\"eggs\"", "\"minutes\":7.5", "\"salted\":false");
        assertThat(record.answers(3)).as("one more says that there are more").hasSize(4);
    }

    @Test
    void aRequiredParameterIsNeverLeftOut() {
        CallRecord record = read(
                        record("r1", QUESTION, "[" + FUNCTION + "]"),
                        truth("r1", "[{\"kitchen.boil\": {\"food\": [\"\", \"egg\"], \"count\": [2, \"\"]}}]"))
                .get(0);
        assertThat(record.answers(64)).hasSize(1);
        assertThat(answer(record, 0)).contains("\"food\":\"egg\",\"count\":2");
    }

    @Test
    void dictsAndListsOfDictsHaveAcceptedValuesOfTheirOwn() {
        String function =
                "{\"name\": \"f\", \"parameters\": {\"type\": \"dict\", \"properties\": {\"where\": {\"type\":"
                        + " \"dict\"}, \"rows\": {\"type\": \"array\"}}, \"required\": [\"where\"]}}";
        CallRecord record = read(
                        record("r1", QUESTION, "[" + function + "]"),
                        truth(
                                "r1",
                                "[{\"f\": {\"where\": [{\"min\": [1, 2], \"max\": [9], \"unit\": [\"\", \"m\"]}],"
                                        + " \"rows\": [[{\"a\": [\"x\", \"y\"]}, 3]]}}]"))
                .get(0);
        assertThat(record.answers(64)).hasSize(2 * 2 * 2);
        assertThat(answer(record, 0))
                .isEqualTo(
                        "[{\"name\":\"f\",\"parameters\":{\"where\":{\"min\":1,\"max\":9},\"rows\":[{\"a\":\"x\"},3]}}]");
        assertThat(answer(record, 7))
                .contains("\"where\":{\"min\":2,\"max\":9,\"unit\":\"m\"},\"rows\":[{\"a\":\"y\"},3]");
    }

    @Test
    void severalCallsAreOneSequence() {
        CallRecord record = read(
                        record("r1", QUESTION, "[" + FUNCTION + "]"),
                        truth(
                                "r1",
                                "[{\"kitchen.boil\": {\"food\": [\"egg\"], \"count\": [1, 2]}},"
                                        + " {\"kitchen.boil\": {\"food\": [\"rice\"], \"count\": [1, 3]}}]"))
                .get(0);
        assertThat(record.answers(64)).hasSize(4).allSatisfy(calls -> assertThat(calls)
                .hasSize(2));
        assertThat(record.answers(2)).hasSize(3);
    }

    @Test
    void whereNoFunctionServesSilenceIsRight() {
        List<CallRecord> records = CallRecordReader.readIrrelevant(file(
                "i.json",
                record("i1", QUESTION, "[" + FUNCTION + "]"),
                "",
                record("i2", QUESTION, "[" + FUNCTION + "]")));
        assertThat(records).extracting(CallRecord::id).containsExactly("i1", "i2");
        assertThat(records.get(0).acts()).isFalse();
        assertThat(records.get(0).answers(1)).containsExactly(List.of());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"question\": 1}|\"id\" = null, must be a string that is not blank",
                "{\"id\": \"r1\", \"question\": [], \"function\": [F]}|\"question\" must hold one turn",
                "{\"id\": \"r1\", \"question\": [[], []], \"function\": [F]}|records of several turns are not read",
                "{\"id\": \"r1\", \"question\": [[]], \"function\": [F]}|\"question\" has no message",
                "{\"id\": \"r1\", \"question\": [[{\"role\": \"system\", \"content\": \"x\"}]], \"function\": [F]}|a"
                        + " message must be {\"role\": \"user\"",
                "{\"id\": \"r1\", \"question\": Q, \"function\": []}|\"function\" must be a list of at least one"
                        + " function",
                "{\"id\": \"r1\", \"question\": Q, \"function\": [F, F]}|function kitchen.boil is a duplicate",
                "{\"id\": \"r1\", \"question\": Q, \"function\": [3]}|a function must be an object, is 3",
                "{\"id\": \"r1\", \"question\": Q, \"function\": [{\"name\": \" \"}]}|a function's \"name\" = \" \"",
                "{\"id\": \"r1\", \"question\": Q, \"function\": [{\"name\": \"f\"}]}|function f: \"parameters\" must"
                        + " be {\"type\": \"dict\"",
                "{\"id\": \"r1\", \"question\": Q, \"function\": [{\"name\": \"f\", \"parameters\": {\"properties\":"
                        + " {\"p\": {\"type\": \"HashMap\"}}}}]}|parameter \"p\" has type \"HashMap\", known are [any,"
                        + " array, boolean, dict",
                "{\"id\": \"r1\", \"question\": Q, \"function\": [{\"name\": \"f\", \"parameters\": {\"properties\":"
                        + " {}, \"required\": [\"q\"]}}]}|\"required\" names \"q\", which is not one of its parameters",
                "{\"id\": \"r1\", \"question\": Q, \"function\": [{\"name\": \"f\", \"parameters\": {\"properties\":"
                        + " {}, \"required\": \"q\"}}]}|\"required\" = \"q\", must be a list",
                "{\"id\": \"r1\", \"question\": Q, \"function\": [{\"name\": \"f\\ud83d\", \"parameters\":"
                        + " {\"properties\": {}}}]}|its name has an unpaired surrogate",
                "{\"id\": \"r1\", \"question\": Q, \"function\": [{\"name\": \"f\", \"parameters\": {\"properties\":"
                        + " {\"p\": {\"type\": \"string\", \"enum\": [\"\\udc00\"]}}}}]}|values of its parameter \"p\""
                        + " have an unpaired surrogate",
                "{\"id\": \"r1\", \"id\": \"r2\"}|is not JSON",
            })
    void aLineThatIsNoRecordIsRefusedWithItsPlace(String line, String why) {
        String record = line.replace("[F", "[" + FUNCTION)
                .replace(", F]", ", " + FUNCTION + "]")
                .replace(": Q", ": " + QUESTION);
        assertThatThrownBy(() -> read(record, truth("r1", TRUTH)))
                .hasMessageContaining("q.json:1: ")
                .hasMessageContaining(why)
                .extracting(e -> ExitCode.of(e).status())
                .isEqualTo(65);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "[]|\"ground_truth\" must be a list of at least one call",
                "[3]|a call must be {function: {parameter: [accepted…]}}, is 3",
                "[{\"fry\": {}}]|calls \"fry\", which is not one of the record's functions [kitchen.boil]",
                "[{\"kitchen.boil\": {\"food\": [\"egg\"], \"count\": [2], \"oil\": [1]}}]|function kitchen.boil has"
                        + " no parameter \"oil\", it has [food, count,",
                "[{\"kitchen.boil\": {\"food\": [\"egg\"]}}]|must be given parameter \"count\", but no value is"
                        + " accepted",
                "[{\"kitchen.boil\": {\"food\": \"egg\", \"count\": [2]}}]|parameter \"food\" has \"egg\", must have a"
                        + " list",
                "[{\"kitchen.boil\": {\"food\": [], \"count\": [2]}}]|parameter \"food\" has [], must have a list",
                "[{\"kitchen.boil\": {\"food\": [{\"a\": 1}], \"count\": [2]}}]|parameter \"food\" has 1, must have a"
                        + " list",
            })
    void anAnswerThatDoesNotFitTheFunctionsIsRefusedWithItsPlace(String calls, String why) {
        assertThatThrownBy(() -> read(record("r1", QUESTION, "[" + FUNCTION + "]"), truth("r1", calls)))
                .hasMessageContaining("a.json:1: is not a function-calling record: ")
                .hasMessageContaining(why)
                .extracting(e -> ExitCode.of(e).status())
                .isEqualTo(65);
    }

    @Test
    void recordsAndAnswersMustBePairs() {
        String record = record("r1", QUESTION, "[" + FUNCTION + "]");
        assertThatThrownBy(() -> read(record, truth("r2", TRUTH)))
                .hasMessageContaining("a.json:1: id \"r2\" is missing in ")
                .hasMessageContaining("each record needs its answer");
        Path two = file("two.json", record, record("r3", QUESTION, "[" + FUNCTION + "]"));
        assertThatThrownBy(() -> CallRecordReader.read(two, file("a.json", truth("r1", TRUTH))))
                .hasMessageContaining("two.json:2: id \"r3\" is missing in ");
        assertThatThrownBy(() -> CallRecordReader.readIrrelevant(file("same.json", record, record)))
                .hasMessageContaining("same.json:2: id \"r1\" is a duplicate");
        assertThatThrownBy(() -> CallRecordReader.readIrrelevant(file("none.json", "")))
                .hasMessageContaining("none.json: holds no function-calling records");
        assertThatThrownBy(() -> CallRecordReader.readIrrelevant(folder.resolve("absent.json")))
                .hasMessageContaining("absent.json");
    }

    @Test
    void theLeaderboardsOwnRecordsAreRead() {
        Path data = ThirdPartyRecords.folder(
                "function-calling/bfcl",
                """
                git clone https://github.com/ShishirPatil/gorilla.git && git -C gorilla checkout 6ea57973
                mkdir -p $PRPF_TESTDATA/function-calling
                cp -r $(dirname $(find gorilla -name BFCL_v4_irrelevance.json)) $PRPF_TESTDATA/function-calling/bfcl""");
        for (String name : List.of("simple_python", "multiple", "parallel")) {
            String file = "BFCL_v4_" + name + ".json";
            List<CallRecord> records = CallRecordReader.read(
                    data.resolve(file), data.resolve("possible_answer").resolve(file));
            assertThat(records).hasSizeGreaterThanOrEqualTo(200).allSatisfy(record -> assertThat(record.answers(64))
                    .isNotEmpty());
        }
        assertThat(CallRecordReader.readIrrelevant(data.resolve("BFCL_v4_irrelevance.json")))
                .hasSize(240)
                .noneMatch(CallRecord::acts);
    }
}
