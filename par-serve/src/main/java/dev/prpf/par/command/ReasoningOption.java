package dev.prpf.par.command;

import dev.prpf.base.command.EnumOption;
import dev.prpf.par.response.ReasoningMode;

/** Reads {@code --reasoning rec-function}. */
public final class ReasoningOption extends EnumOption<ReasoningMode> {
    /** For picocli. */
    public ReasoningOption() {
        super(ReasoningMode.class);
    }
}
