package dev.prpf.eval.calls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.data.FunctionCall;
import dev.prpf.eval.calls.AceBench.AceBenchRule;
import dev.prpf.eval.calls.HammerBench.HammerBenchRule;
import dev.prpf.eval.suite.DataFolder;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests the released files; skipped without them. */
class RealCallsTest {
    private static List<CallTask> tasks(CallSuite suite) {
        try {
            return suite.tasks(DataFolder.of(suite, null, System.getenv()));
        } catch (UnavailableException e) {
            assumeTrue(false, "skipped: " + e.getMessage());
            throw e;
        }
    }

    private static List<FunctionCall> answer(CallTask task) {
        if (task.rule() instanceof BfclRule bfcl) {
            return bfcl.wanted().stream().map(RealCallsTest::answer).toList();
        }
        if (task.rule() instanceof AceBenchRule ace) {
            return ace.alternatives().get(0).stream()
                    .map(wanted -> new FunctionCall(wanted.function(), wanted.values()))
                    .toList();
        }
        return task.rule() instanceof HammerBenchRule hammer
                ? List.of(new FunctionCall(hammer.function(), hammer.values()))
                : List.of();
    }

    /** Returns the first accepted values; dicts take the first value of each field. */
    private static FunctionCall answer(BfclRule.Wanted wanted) {
        Map<String, JsonNode> values = new LinkedHashMap<>();
        wanted.accepted().forEach((name, accepted) -> {
            JsonNode first = first(accepted);
            if (!first.isMissingNode()) {
                values.put(name, first);
            }
        });
        return new FunctionCall(wanted.function(), values);
    }

    private static JsonNode first(JsonNode accepted) {
        JsonNode first = accepted.get(0);
        if (first.isTextual() && first.textValue().isEmpty()) {
            return accepted.size() > 1 ? chosen(accepted.get(1)) : JsonNodeFactory.instance.missingNode();
        }
        return chosen(first);
    }

    private static JsonNode chosen(JsonNode value) {
        if (value.isObject()) {
            var object = JsonNodeFactory.instance.objectNode();
            value.propertyStream().forEach(field -> {
                JsonNode one = first(field.getValue());
                if (!one.isMissingNode()) {
                    object.set(field.getKey(), one);
                }
            });
            return object;
        }
        if (value.isArray() && value.path(0).isObject()) {
            var array = JsonNodeFactory.instance.arrayNode();
            value.forEach(element -> array.add(chosen(element)));
            return array;
        }
        return value;
    }

    private static List<String> refused(List<CallTask> tasks) {
        return tasks.stream()
                .filter(task -> task.rule().judge(answer(task)) != null)
                .map(task -> task.id() + " " + task.rule().judge(answer(task)))
                .toList();
    }

    /** Returns the number of tasks that accept answers with changed texts and numbers. */
    private static long mutantsAccepted(List<CallTask> tasks) {
        return tasks.stream()
                .filter(task -> !task.wanted().isEmpty())
                .filter(task -> {
                    List<FunctionCall> changed =
                            answer(task).stream().map(RealCallsTest::mutant).toList();
                    return !changed.equals(answer(task)) && task.rule().judge(changed) == null;
                })
                .count();
    }

    private static FunctionCall mutant(FunctionCall call) {
        Map<String, JsonNode> values = new LinkedHashMap<>();
        call.parameters()
                .forEach((name, value) -> values.put(
                        name,
                        value.isTextual()
                                ? JsonNodeFactory.instance.textNode("zzz")
                                : value.isIntegralNumber()
                                        ? JsonNodeFactory.instance.numberNode(value.longValue() + 7919)
                                        : value));
        return new FunctionCall(call.name(), values);
    }

    @Test
    void bfclAcceptsItsOwnAnswersAndNoOthers() {
        List<CallTask> tasks = tasks(Bfcl.SUITE);
        assertThat(tasks).hasSize(1040);
        assertThat(tasks).filteredOn(task -> task.wanted().isEmpty()).hasSize(240);
        assertThat(refused(tasks)).isEmpty();
        assertThat(mutantsAccepted(tasks)).isZero();
    }

    @Test
    void aceBenchAcceptsItsOwnAnswersAndNoOthers() {
        List<CallTask> tasks = tasks(AceBench.SUITE);
        assertThat(tasks).hasSize(500);
        assertThat(refused(tasks))
                .as("its released answer lacks a parameter that its schema requires, so that nothing is right")
                .containsExactly("normal_atom_object_short_1 MISSING_REQUIRED");
        assertThat(mutantsAccepted(tasks)).isZero();
    }

    @Test
    void hammerBenchAcceptsItsOwnAnswersAndNoOthers() {
        List<CallTask> tasks = tasks(HammerBench.SUITE);
        assertThat(tasks).hasSize(3553);
        assertThat(tasks).filteredOn(task -> task.wanted().isEmpty()).hasSize(400);
        assertThat(refused(tasks)).isEmpty();
        assertThat(mutantsAccepted(tasks)).isZero();
    }
}
