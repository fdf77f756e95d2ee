package dev.prpf.eval.calls;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.data.FunctionCall;
import dev.prpf.eval.calls.AceBench.AceBenchRule;
import dev.prpf.eval.calls.CallTask.CallRule.CallError;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class AceBenchRuleTest {
    private static final JsonNode SCHEMA = MadeTasks.json("{'properties': {'who': {'type': 'string'}, 'n': {'type':"
            + " 'integer'}, 'on': {'type': 'boolean'}, 'all': {'type': 'array'}, 'box': {'type': 'object'}},"
            + " 'required': ['who']}");

    private static AceBenchRule.Wanted wanted(String name, String values) {
        return new AceBenchRule.Wanted(name, SCHEMA, TaskReading.fields(MadeTasks.json(values)));
    }

    private static FunctionCall call(String name, String values) {
        return new FunctionCall(name, TaskReading.fields(MadeTasks.json(values)));
    }

    private static @Nullable CallError judge(String wanted, String given) {
        return new AceBenchRule(List.of(List.of(wanted("f", wanted)))).judge(List.of(call("f", given)));
    }

    @Test
    void aTextIsRightIfItHoldsTheWantedOneInStandardForm() {
        assertThat(judge("{'who': '张三'}", "{'who': '张三'}")).isNull();
        assertThat(judge("{'who': 'Ann-Lee'}", "{'who': 'to ann lee'}")).isNull();
        assertThat(judge("{'who': 'to Ann'}", "{'who': 'Ann'}")).isEqualTo(CallError.WRONG_VALUE);
        assertThat(judge("{'who': 'Ann'}", "{'who': 3}")).isEqualTo(CallError.WRONG_TYPE);
    }

    @Test
    void whatIsNotRequiredMayBeLeftOutAndNothingElseMayBeGiven() {
        assertThat(judge("{'who': 'Ann', 'n': 2}", "{'who': 'Ann'}")).isNull();
        assertThat(judge("{'who': 'Ann', 'n': 2}", "{'n': 2}")).isEqualTo(CallError.MISSING_REQUIRED);
        assertThat(judge("{'who': 'Ann'}", "{}")).isEqualTo(CallError.MISSING_REQUIRED);
        assertThat(judge("{'who': 'Ann'}", "{'who': 'Ann', 'n': 2}")).isEqualTo(CallError.UNEXPECTED_PARAMETER);
    }

    @Test
    void numbersAndBooleansMustBeEqual() {
        assertThat(judge("{'who': 'Ann', 'n': 2}", "{'who': 'Ann', 'n': 2.0}")).isNull();
        assertThat(judge("{'who': 'Ann', 'n': 2}", "{'who': 'Ann', 'n': 3}")).isEqualTo(CallError.WRONG_VALUE);
        assertThat(judge("{'who': 'Ann', 'on': true}", "{'who': 'Ann', 'on': 'true'}"))
                .isNull();
        assertThat(judge("{'who': 'Ann', 'on': true}", "{'who': 'Ann', 'on': false}"))
                .isEqualTo(CallError.WRONG_VALUE);
        assertThat(judge("{'who': 'Ann', 'box': {'n': 5}}", "{'who': 'Ann', 'box': {'n': 15}}"))
                .as("the source finds 5 in 15")
                .isEqualTo(CallError.WRONG_VALUE);
    }

    @Test
    void listsAreEqualAndDictsHaveTheSameFields() {
        assertThat(judge("{'who': 'A', 'all': ['德国', 'us']}", "{'who': 'A', 'all': ['德国', 'US']}"))
                .isNull();
        assertThat(judge("{'who': 'A', 'all': ['a', 'b']}", "{'who': 'A', 'all': ['b', 'a']}"))
                .isEqualTo(CallError.WRONG_VALUE);
        String box = "{'who': 'A', 'box': {'in': {'name': 'x'}, 'tags': ['a']}}";
        assertThat(judge(box, "{'who': 'A', 'box': {'tags': ['a'], 'in': {'name': 'the X'}}}"))
                .isNull();
        assertThat(judge(box, "{'who': 'A', 'box': {'tags': ['a']}}")).isEqualTo(CallError.WRONG_VALUE);
        assertThat(judge(box, "{'who': 'A', 'box': {'tags': ['a'], 'out': {'name': 'x'}}}"))
                .isEqualTo(CallError.WRONG_VALUE);
        String dicts = "{'who': 'A', 'all': [{'n': 1}, {'n': 2}]}";
        assertThat(judge(dicts, "{'who': 'A', 'all': [{'n': 1}, {'n': 2}]}")).isNull();
        assertThat(judge(dicts, "{'who': 'A', 'all': [{'n': 2}, {'n': 1}]}")).isEqualTo(CallError.WRONG_VALUE);
        assertThat(judge(dicts, "{'who': 'A', 'all': [{'n': 1}]}")).isEqualTo(CallError.WRONG_VALUE);
    }

    @Test
    void callsOfOneAnswerMatchInAnyOrderAndAsOftenAsIsWanted() {
        AceBenchRule rule =
                new AceBenchRule(List.of(List.of(wanted("f", "{'who': 'a'}"), wanted("g", "{'who': 'b'}"))));
        assertThat(rule.judge(List.of(call("g", "{'who': 'b'}"), call("f", "{'who': 'a'}"))))
                .isNull();
        assertThat(rule.judge(List.of(call("f", "{'who': 'a'}"), call("f", "{'who': 'a'}"))))
                .isEqualTo(CallError.WRONG_FUNCTION);
        assertThat(rule.judge(List.of(call("f", "{'who': 'a'}")))).isEqualTo(CallError.WRONG_COUNT);
        assertThat(rule.judge(List.of(call("g", "{'who': 'c'}"), call("f", "{'who': 'a'}"))))
                .isEqualTo(CallError.NO_MATCH);
    }

    @Test
    void anyOfSeveralAnswersWillDoAndTheFirstOnesErrorIsTold() {
        AceBenchRule rule = new AceBenchRule(
                List.of(List.of(wanted("f", "{'who': 'a', 'on': true}")), List.of(wanted("f", "{'who': 'c'}"))));
        assertThat(rule.judge(List.of(call("f", "{'who': 'c'}")))).isNull();
        assertThat(rule.judge(List.of(call("f", "{'who': 'b', 'on': true}")))).isEqualTo(CallError.WRONG_VALUE);
    }
}
