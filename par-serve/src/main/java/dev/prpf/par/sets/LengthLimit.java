package dev.prpf.par.sets;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.par.sets.SftExampleSettings.OverLong;

/**
 * How long examples may be.
 *
 * @param section of the configuration that says so, for messages
 * @param what is measured, for messages: "example", "prompt"
 * @param maxLength in tokens
 * @param overLong what happens to a longer one
 */
record LengthLimit(String section, String what, int maxLength, OverLong overLong) {
    /**
     * Whether an example is short enough.
     *
     * @throws PrpfException 65 for one that is not and must not be left out
     */
    boolean admits(String id, int length) {
        if (length > maxLength && overLong == OverLong.REFUSE) {
            throw new InvalidDataException("sample " + id + ": its " + what + " has " + length + " tokens, " + section
                    + ".max-length = " + maxLength + "; raise it (and the model's positions), or set " + section
                    + ".over-long to drop");
        }
        return length <= maxLength;
    }
}
