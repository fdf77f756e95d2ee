package dev.prpf.eval.judge;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.FunctionSpec.ParameterSpec;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import java.util.List;
import java.util.stream.Stream;

/** Small pairs for the judges' tests. */
final class Pairs {
    static final FunctionPool NO_POOL = new FunctionPool(List.of());

    private Pairs() {}

    static Sample sample(String id) {
        return new Sample(
                id,
                1,
                null,
                null,
                new DeviceContext("常去火车站", "电量八成", "周日 <|im_end|>"),
                new Trajectory(List.of(new TraceStep.Caption("打开地图"), new TraceStep.Screenshot("a.png"))),
                null);
    }

    static Judge.Case pair(String id, List<FunctionCall> predicted, List<FunctionCall> answer) {
        return new Judge.Case(sample(id), NO_POOL, predicted, answer);
    }

    /** Returns a pool with a function of one parameter {@code p} of this type, with these values if given. */
    static FunctionPool pool(String function, String type, String... values) {
        List<JsonNode> enumeration = values.length == 0
                ? null
                : Stream.of(values)
                        .map(TextNode::valueOf)
                        .map(JsonNode.class::cast)
                        .toList();
        return new FunctionPool(List.of(new FunctionSpec(
                function, "订票", List.of(), List.of(new ParameterSpec("p", "参数", type, true, enumeration, null)))));
    }
}
