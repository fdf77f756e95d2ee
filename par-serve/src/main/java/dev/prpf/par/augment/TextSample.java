package dev.prpf.par.augment;

import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Modality;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.io.FunctionCallJson;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The part of a sample that may be rewritten: the steps of its trajectory, its context and a target that acts. */
record TextSample(List<String> steps, DeviceContext context, Recommendation target) {
    /** A parameter of a function, whatever lies within it, by their names. */
    record Slot(String function, String parameter) {}

    /** Of a text sample whose target acts and copies something; null for any other. */
    static @Nullable TextSample of(Sample sample) {
        Recommendation target = sample.labelled() ? sample.target() : null;
        if (target == null || sample.modality() != Modality.TEXT) {
            return null;
        }
        TextSample text = new TextSample(sample.trajectory().texts(), sample.context(), target);
        return text.copied(true).isEmpty() ? null : text;
    }

    /**
     * The texts of the target's calls that stand, word for word, in the context: what a reasoner has to copy. Each with the first slot it goes
     * to, in the order of the calls.
     *
     * @param numbers whether numbers count too
     */
    Map<String, Slot> copied(boolean numbers) {
        Map<String, Slot> values = new LinkedHashMap<>();
        for (FunctionCall call : target.calls()) {
            call.parameters().forEach((parameter, value) -> FunctionCallJson.leaves(value)
                    .filter(leaf -> leaf.isTextual() || (leaf.isNumber() && numbers))
                    .forEach(leaf -> values.putIfAbsent(leaf.asText(), new Slot(call.name(), parameter))));
        }
        String words = words();
        values.keySet().removeIf(value -> value.isEmpty() || !words.contains(value));
        return values;
    }

    /** The whole context; parts stand on lines of their own, so that no value spans two. */
    String words() {
        return String.join("\n", steps) + "\n" + context.profile() + "\n" + context.phone() + "\n" + context.world();
    }

    /** The same target with other steps and rewritten texts of the context. */
    TextSample with(List<String> steps, UnaryOperator<String> texts) {
        return new TextSample(
                steps,
                new DeviceContext(
                        texts.apply(context.profile()), texts.apply(context.phone()), texts.apply(context.world())),
                target);
    }

    /** The sample with these words; the target is its one answer. */
    Sample in(Sample sample) {
        return sample.with(context, Trajectory.ofTexts(steps), List.of(target));
    }
}
