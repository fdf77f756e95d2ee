package dev.prpf.par.augment;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Recommendation;
import dev.prpf.data.TextTrajectory;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** The texts and numbers of a target's calls that stand, word for word, in the sample's context: what its reasoner has to copy. */
final class CopiedValues {
    private CopiedValues() {}

    /**
     * Where a value goes.
     *
     * @param function the function's name
     * @param parameter the parameter's name, whatever lies within it
     */
    record Slot(String function, String parameter) {}

    /** Each copied text with the first slot it goes to, in the order of the calls. */
    static Map<String, Slot> texts(Recommendation target, TextTrajectory trajectory, DeviceContext context) {
        return standing(target, trajectory, context, true);
    }

    /** The same with numbers, as they are written. */
    static Map<String, Slot> all(Recommendation target, TextTrajectory trajectory, DeviceContext context) {
        return standing(target, trajectory, context, false);
    }

    private static Map<String, Slot> standing(
            Recommendation target, TextTrajectory trajectory, DeviceContext context, boolean textsOnly) {
        String words = words(trajectory, context);
        Map<String, Slot> values = new LinkedHashMap<>();
        for (FunctionCall call : target.calls()) {
            call.parameters().forEach((parameter, value) -> {
                Slot slot = new Slot(call.name(), parameter);
                leaves(value, slot, textsOnly, values);
            });
        }
        values.keySet().removeIf(value -> value.isEmpty() || !words.contains(value));
        return values;
    }

    private static void leaves(JsonNode value, Slot slot, boolean textsOnly, Map<String, Slot> values) {
        if (value.isContainerNode()) {
            value.forEach(inner -> leaves(inner, slot, textsOnly, values));
        } else if (value.isTextual() || (value.isNumber() && !textsOnly)) {
            values.putIfAbsent(value.asText(), slot);
        }
    }

    /** The whole context; parts stand on lines of their own, so that no value spans two. */
    static String words(TextTrajectory trajectory, DeviceContext context) {
        return trajectory.steps().stream().collect(Collectors.joining("\n")) + "\n" + context.profile() + "\n"
                + context.phone() + "\n" + context.world();
    }
}
