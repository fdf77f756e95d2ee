package dev.prpf.par.augment;

import dev.prpf.data.DeviceContext;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.TextTrajectory;
import dev.prpf.par.augment.CopiedValues.Slot;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What of a sample may be rewritten: its words and its target.
 *
 * @param trajectory told in words
 * @param target an answer that acts
 */
record TextSample(TextTrajectory trajectory, DeviceContext context, Recommendation target) {
    /** Of a text sample whose first answer acts and copies something; null for any other. */
    static @Nullable TextSample of(Sample sample) {
        Recommendation target = sample.labelled() ? sample.target() : null;
        if (target == null || !(sample.trajectory() instanceof TextTrajectory steps)) {
            return null;
        }
        TextSample text = new TextSample(steps, sample.context(), target);
        return text.copied().isEmpty() ? null : text;
    }

    Map<String, Slot> copiedTexts() {
        return CopiedValues.texts(target, trajectory, context);
    }

    Map<String, Slot> copied() {
        return CopiedValues.all(target, trajectory, context);
    }

    /** The sample with these words; the target is its one answer. */
    Sample in(Sample sample) {
        return sample.with(context, trajectory, List.of(target));
    }
}
