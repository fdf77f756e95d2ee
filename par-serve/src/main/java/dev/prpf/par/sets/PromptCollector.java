package dev.prpf.par.sets;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import java.util.ArrayList;
import java.util.List;

/** Collects prompts and counts those that are left out. */
final class PromptCollector {
    private final LengthLimit limit;
    private final List<PromptExample> prompts = new ArrayList<>();
    private int dropped;
    private int outOfPool;
    private int longest;

    PromptCollector(LengthLimit limit) {
        this.limit = limit;
    }

    /**
     * Takes a prompt unless it is over-long.
     *
     * @param length in tokens of what is limited
     * @throws PrpfException 65 for an over-long one that must not be left out
     */
    boolean take(PromptExample prompt, int length) {
        longest = Math.max(longest, length);
        boolean admitted = limit.admits(prompt.id(), length);
        if (admitted) {
            prompts.add(prompt);
        } else {
            dropped++;
        }
        return admitted;
    }

    /** Counts a sample whose target is not among the candidates. */
    void leaveOut() {
        outOfPool++;
    }

    /**
     * What was taken.
     *
     * @param samples how many there were
     * @throws PrpfException 65 if nothing was
     */
    PromptExamples collected(int samples) {
        if (prompts.isEmpty()) {
            throw new InvalidDataException("no " + limit.what() + " is left of " + samples + " samples: " + dropped
                    + " were longer than " + limit.section() + ".max-length = " + limit.maxLength() + " (the longest: "
                    + longest + "), " + outOfPool + " have answers outside of their perceived scenarios ("
                    + limit.section() + ".out-of-pool)");
        }
        return new PromptExamples(prompts, dropped, outOfPool, longest);
    }
}
