package dev.prpf.par.export;

import dev.prpf.data.Sample;
import dev.prpf.par.sets.SftRecord;

/**
 * A prompt that GRPO rolls out, with what its responses are rewarded against.
 *
 * @param record whose prompt it is; its response is not used
 * @param sample of the same id
 */
public record GrpoPrompt(SftRecord record, Sample sample) {
    public GrpoPrompt {
        if (!record.id().equals(sample.id())) {
            throw new IllegalArgumentException("prompt of " + record.id() + ", sample " + sample.id());
        }
    }
}
