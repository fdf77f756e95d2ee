package dev.prpf.eval.calls;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.data.FunctionCall;
import dev.prpf.eval.calls.CallTask.CallRule;
import dev.prpf.eval.calls.CallTask.CallRule.CallError;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Expected verdicts are those of bfcl-eval 2026.3.23's ast_checker on the same functions, answers and calls. */
class BfclRuleTest {
    private static final JsonNode BOOK = MadeTasks.json(
            "{'properties': {'city': {'type': 'string'}, 'guests': {'type': 'integer'}, 'price': {'type': 'float'},"
                    + " 'tags': {'type': 'array', 'items': {'type': 'string'}},"
                    + " 'point': {'type': 'tuple', 'items': {'type': 'float'}}, 'pets': {'type': 'boolean'},"
                    + " 'room': {'type': 'dict'}, 'rooms': {'type': 'array', 'items': {'type': 'dict'}}, 'any': {'type': 'any'}},"
                    + " 'required': ['city']}");

    private static BfclRule.Wanted wanted(String accepted) {
        return new BfclRule.Wanted("book", BOOK, TaskReading.fields(MadeTasks.json(accepted)));
    }

    private static @Nullable CallError judge(String accepted, String... calls) {
        return new BfclRule(List.of(wanted(accepted)))
                .judge(Arrays.stream(calls).map(given -> call("book", given)).toList());
    }

    private static FunctionCall call(String name, String parameters) {
        return new FunctionCall(name, TaskReading.fields(MadeTasks.json(parameters)));
    }

    @Test
    void oneCallOfTheWantedFunctionIsAsked() {
        assertThat(judge("{'city': ['Paris']}", "{'city': 'Paris'}")).isNull();
        assertThat(judge("{'city': ['Paris']}")).isEqualTo(CallError.WRONG_COUNT);
        assertThat(judge("{'city': ['Paris']}", "{'city': 'Paris'}", "{'city': 'Paris'}"))
                .isEqualTo(CallError.WRONG_COUNT);
        assertThat(new BfclRule(List.of(wanted("{'city': ['Paris']}"))).judge(List.of(call("cook", "{}"))))
                .isEqualTo(CallError.WRONG_FUNCTION);
    }

    @Test
    void parametersMustBeKnownGivenAndWanted() {
        assertThat(judge("{'city': ['Paris']}", "{}")).isEqualTo(CallError.MISSING_REQUIRED);
        assertThat(judge("{'city': ['Paris']}", "{'city': 'Paris', 'guests': 2}"))
                .as("a parameter of the function that the answer does not have")
                .isEqualTo(CallError.UNEXPECTED_PARAMETER);
        assertThat(judge("{'city': ['Paris']}", "{'city': 'Paris', 'sea': true}"))
                .isEqualTo(CallError.UNEXPECTED_PARAMETER);
        assertThat(judge("{'city': ['Paris'], 'guests': [2]}", "{'city': 'Paris'}"))
                .isEqualTo(CallError.MISSING_OPTIONAL);
        assertThat(judge("{'city': ['Paris'], 'guests': [2, '']}", "{'city': 'Paris'}"))
                .as("the empty text says that it may be left out")
                .isNull();
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "guests, [2], 2, -",
                "guests, [2], 3, wrong_value",
                "guests, [2], 2.0, wrong_type",
                "guests, [2], '2', wrong_type",
                "guests, [2], true, wrong_type",
                "price, [5.0], 5, -",
                "price, [5], 5, -",
                "price, [5.5], 5.5, -",
                "price, [5.5], '5.5', wrong_type",
                "pets, [true], true, -",
                "pets, [true], false, wrong_value",
                "pets, [true], 'true', wrong_type",
                "pets, ['variable'], 'variable', -",
                "pets, ['variable'], 'Variable', wrong_value",
                "city, ['New York'], 'new-york', -",
                "city, [\"it's\"], 'it\\\"s', -",
                "city, ['New York'], 'New York City', wrong_value",
                "any, ['x'], 'X', -"
            })
    void aValueMustBeOfItsTypeAndAmongTheAccepted(String name, String accepted, String given, String error) {
        String city = name.equals("city") ? "" : "'city': ['Paris'], ";
        String said = name.equals("city") ? "" : "'city': 'Paris', ";
        CallError found =
                judge("{" + city + "'" + name + "': " + accepted + "}", "{" + said + "'" + name + "': " + given + "}");

        assertThat(found == null ? "-" : found.key()).isEqualTo(error);
    }

    @Test
    void listsAreEqualInOrderWithTheirTextsInStandardForm() {
        String answer = "{'city': ['Paris'], 'tags': [['Sea View', 'pool'], ['pool']]}";
        assertThat(judge(answer, "{'city': 'Paris', 'tags': ['sea view', 'Pool']}"))
                .isNull();
        assertThat(judge(answer, "{'city': 'Paris', 'tags': ['pool']}")).isNull();
        assertThat(judge(answer, "{'city': 'Paris', 'tags': ['pool', 'sea view']}"))
                .isEqualTo(CallError.WRONG_VALUE);
        assertThat(judge(answer, "{'city': 'Paris', 'tags': [1]}")).isEqualTo(CallError.WRONG_TYPE);
        assertThat(judge("{'city': ['Paris'], 'point': [[1.0, 2.5]]}", "{'city': 'Paris', 'point': [1, 2.5]}"))
                .as("inside a list an integer is no float")
                .isEqualTo(CallError.WRONG_TYPE);
        assertThat(judge("{'city': ['Paris'], 'tags': [['a'], '']}", "{'city': 'Paris', 'tags': []}"))
                .as("where it may be left out it may be empty")
                .isNull();
    }

    @Test
    void dictsHaveTheAcceptedFieldsAndNoOthers() {
        String answer = "{'city': ['Paris'], 'room': [{'beds': [2, 3], 'view': ['sea', '']}]}";
        assertThat(judge(answer, "{'city': 'Paris', 'room': {'beds': 3}}")).isNull();
        assertThat(judge(answer, "{'city': 'Paris', 'room': {'beds': 2, 'view': 'Sea'}}"))
                .isNull();
        assertThat(judge(answer, "{'city': 'Paris', 'room': {'view': 'sea'}}")).isEqualTo(CallError.WRONG_VALUE);
        assertThat(judge(answer, "{'city': 'Paris', 'room': {'beds': 2, 'bath': 1}}"))
                .isEqualTo(CallError.WRONG_VALUE);
        assertThat(judge(answer, "{'city': 'Paris', 'room': 'big'}")).isEqualTo(CallError.WRONG_TYPE);
    }

    @Test
    void listsOfDictsMatchInOrder() {
        String answer = "{'city': ['Paris'], 'rooms': [[{'beds': [1]}, {'beds': [2]}]]}";
        assertThat(judge(answer, "{'city': 'Paris', 'rooms': [{'beds': 1}, {'beds': 2}]}"))
                .isNull();
        assertThat(judge(answer, "{'city': 'Paris', 'rooms': [{'beds': 2}, {'beds': 1}]}"))
                .isEqualTo(CallError.WRONG_VALUE);
        assertThat(judge(answer, "{'city': 'Paris', 'rooms': [{'beds': 1}]}")).isEqualTo(CallError.WRONG_VALUE);
    }

    @Test
    void severalCallsMatchInAnyOrderEachOnce() {
        BfclRule rule = new BfclRule(List.of(wanted("{'city': ['Paris', 'Rome']}"), wanted("{'city': ['Rome']}")));
        FunctionCall paris = call("book", "{'city': 'Paris'}");
        FunctionCall rome = call("book", "{'city': 'Rome'}");

        assertThat(rule.judge(List.of(paris, rome))).isNull();
        assertThat(rule.judge(List.of(paris, paris))).isEqualTo(CallError.NO_MATCH);
        assertThat(rule.judge(List.of(rome, paris)))
                .as(
                        "each wanted call takes the first that is right, as in the source: Rome is gone when its turn comes")
                .isEqualTo(CallError.NO_MATCH);
        assertThat(rule.judge(List.of(paris))).isEqualTo(CallError.WRONG_COUNT);
    }

    @Test
    void whereNoFunctionServesNoCallIsRight() {
        assertThat(CallRule.NO_CALL.judge(List.of())).isNull();
        assertThat(CallRule.NO_CALL.judge(List.of(call("book", "{}")))).isEqualTo(CallError.UNWANTED_CALL);
    }
}
