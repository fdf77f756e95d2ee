package dev.prpf.par.sets;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.par.sets.SftExampleSettings.OverLong;
import java.util.ArrayList;
import java.util.List;

/** Collects prompts that are short enough and counts those that are left out. */
final class PromptCollector {
    private final String section;
    private final String what;
    private final int maxLength;
    private final OverLong overLong;
    private final List<PromptExample> prompts = new ArrayList<>();
    private int dropped;
    private int outOfPool;
    private int longest;

    /**
     * @param section of the configuration that limits the length, for messages
     * @param what is measured, for messages: "example", "prompt"
     */
    PromptCollector(String section, String what, int maxLength, OverLong overLong) {
        this.section = section;
        this.what = what;
        this.maxLength = maxLength;
        this.overLong = overLong;
    }

    /**
     * Takes a prompt unless it is over-long.
     *
     * @param length in tokens of what is limited
     * @throws PrpfException 65 for an over-long one that must not be left out
     */
    boolean take(PromptExample prompt, int length) {
        longest = Math.max(longest, length);
        if (length <= maxLength) {
            return prompts.add(prompt);
        }
        if (overLong == OverLong.REFUSE) {
            throw new InvalidDataException("sample " + prompt.id() + ": its " + what + " has " + length + " tokens, "
                    + section + ".max-length = " + maxLength + "; raise it (and the model's positions), or set "
                    + section + ".over-long to drop");
        }
        dropped++;
        return false;
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
            throw new InvalidDataException("no " + what + " is left of " + samples + " samples: " + dropped
                    + " were longer than " + section + ".max-length = " + maxLength + " (the longest: "
                    + longest + "), " + outOfPool + " have answers outside of their perceived scenarios ("
                    + section + ".out-of-pool)");
        }
        return new PromptExamples(prompts, dropped, outOfPool, longest);
    }
}
