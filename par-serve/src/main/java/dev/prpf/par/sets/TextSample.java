package dev.prpf.par.sets;

import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.Sample.Modality;
import dev.prpf.data.Trajectory;
import dev.prpf.data.io.FunctionCallJson;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The part of a sample that augmentation may rewrite: the steps of its trajectory, its context and a target that acts. */
record TextSample(List<String> steps, DeviceContext context, Recommendation target) {
    /** A parameter of a function, including nested values, by their names. */
    record Slot(String function, String parameter) {}

    /** Returns the parts of a text sample with a target that acts and copies something; else null. */
    static @Nullable TextSample of(Sample sample) {
        Recommendation target = sample.labelled() ? sample.target() : null;
        if (target == null || sample.modality() != Modality.TEXT) {
            return null;
        }
        TextSample text = new TextSample(sample.trajectory().texts(), sample.context(), target);
        return text.copied(true).isEmpty() ? null : text;
    }

    /**
     * Returns the texts of the target's calls that occur verbatim in the context, which a reasoner has to copy. Each has its first slot, in the order
     * of the calls.
     *
     * @param numbers whether to include numbers
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

    /** Returns the whole context; parts are on separate lines, so that no value spans two. */
    String words() {
        return String.join("\n", steps) + "\n" + context.profile() + "\n" + context.phone() + "\n" + context.world();
    }

    /** Returns this target with other steps and a rewritten context. */
    TextSample with(List<String> steps, UnaryOperator<String> texts) {
        return new TextSample(
                steps,
                new DeviceContext(
                        texts.apply(context.profile()), texts.apply(context.phone()), texts.apply(context.world())),
                target);
    }

    /** Returns the sample with these texts; the target is its only answer. */
    Sample in(Sample sample) {
        return sample.with(context, Trajectory.ofTexts(steps), List.of(target));
    }
}
