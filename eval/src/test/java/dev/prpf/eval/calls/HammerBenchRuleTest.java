package dev.prpf.eval.calls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.data.FunctionCall;
import dev.prpf.eval.calls.CallTask.CallRule.CallError;
import dev.prpf.eval.calls.HammerBench.HammerBenchRule;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class HammerBenchRuleTest {
    private static final HammerBenchRule RULE =
            new HammerBenchRule("A.b", TaskReading.fields(MadeTasks.json("{'city': '广 州', 'n': 3}")));

    private static @Nullable CallError judge(String name, String given) {
        return RULE.judge(List.of(new FunctionCall(name, TaskReading.fields(MadeTasks.json(given)))));
    }

    @Test
    void theWantedFunctionWithExactlyTheWantedParametersIsRight() {
        assertThat(judge("A.b", "{'n': 3, 'city': '广州'}")).isNull();
        assertThat(judge("A.c", "{'n': 3, 'city': '广州'}")).isEqualTo(CallError.WRONG_FUNCTION);
        assertThat(judge("A.b", "{'city': '广州'}")).isEqualTo(CallError.MISSING_REQUIRED);
        assertThat(judge("A.b", "{'n': 3, 'city': '广州', 'x': 1}")).isEqualTo(CallError.UNEXPECTED_PARAMETER);
        assertThat(judge("A.b", "{'n': 4, 'city': '广州'}")).isEqualTo(CallError.WRONG_VALUE);
        assertThat(RULE.judge(List.of())).isEqualTo(CallError.WRONG_COUNT);
    }

    @Test
    void valuesAreComparedAsTextWithoutBlanksAndCaseAndNumbersByValue() {
        assertThat(judge("A.b", "{'n': '3', 'city': '广州 '}")).isNull();
        assertThat(judge("A.b", "{'n': 3.0, 'city': '广州'}")).isNull();
        assertThat(new HammerBenchRule("f", TaskReading.fields(MadeTasks.json("{'a': 'Tom S'}")))
                        .judge(List.of(new FunctionCall("f", TaskReading.fields(MadeTasks.json("{'a': 'toms'}"))))))
                .isNull();
    }
}
