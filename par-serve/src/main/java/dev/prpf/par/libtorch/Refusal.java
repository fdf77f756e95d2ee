package dev.prpf.par.libtorch;

import dev.prpf.base.error.PrpfException.UnavailableException;

/**
 * The reason why libtorch cannot run here.
 *
 * @param found the value seen and the rule that it breaks
 * @param wayOut the next step
 */
public record Refusal(String found, String wayOut) {
    /** Returns the error, which ends a command with 69. */
    public UnavailableException toException() {
        return new UnavailableException("libtorch cannot run: " + found + "; " + wayOut);
    }
}
