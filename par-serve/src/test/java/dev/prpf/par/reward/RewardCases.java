package dev.prpf.par.reward;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.FunctionSpec.ParameterSpec;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.io.FunctionCallJson;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Small pools, samples and calls for the tests. */
final class RewardCases {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** send_message(to, text, urgent?), set_alarm(time, repeat?), open_map(). */
    static final FunctionPool POOL = new FunctionPool(List.of(
            function("send_message", parameter("to", true), parameter("text", true), parameter("urgent", false)),
            function(
                    "set_alarm",
                    parameter("time", true),
                    new ParameterSpec(
                            "repeat", "", "string", false, List.of(json("\"daily\""), json("\"dairy\"")), null)),
            function("open_map")));

    private RewardCases() {}

    static FunctionSpec function(String name, ParameterSpec... parameters) {
        return new FunctionSpec(name, "", List.of(), List.of(parameters));
    }

    static ParameterSpec parameter(String name, boolean required) {
        return new ParameterSpec(name, "", "string", required, null, null);
    }

    static JsonNode json(String text) {
        try {
            return JSON.readTree(text);
        } catch (IOException e) {
            throw new UncheckedIOException(text, e);
        }
    }

    /** A call sequence from texts such as {@code set_alarm{"time":"08:30"}}. */
    static List<FunctionCall> calls(String... texts) {
        List<FunctionCall> calls = new ArrayList<>();
        for (String text : texts) {
            int brace = text.indexOf('{');
            calls.add(FunctionCallJson.readCall(json(
                    "{\"name\":\"" + text.substring(0, brace) + "\",\"parameters\":" + text.substring(brace) + "}")));
        }
        return calls;
    }

    /** A text sample with these valid answers; without any it is silent. */
    @SafeVarargs
    @SuppressWarnings("varargs") // handed on, not stored
    static Sample sample(List<FunctionCall>... answers) {
        return sample(
                "s",
                Arrays.stream(answers)
                        .map(calls -> new Recommendation("", calls))
                        .toList());
    }

    static Sample sample(String id, @Nullable List<Recommendation> answers) {
        return new Sample(
                id,
                1,
                null,
                null,
                new DeviceContext("p", "d", "w"),
                Trajectory.ofTexts(List.of("opens an app")),
                answers);
    }
}
