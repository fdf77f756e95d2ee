package dev.prpf.par.command;

import dev.prpf.base.command.EnumOption;
import dev.prpf.par.response.ResponseForm.ReasoningMode;

/** Parses option values such as {@code --reasoning rec-function}. */
public final class ReasoningOption extends EnumOption<ReasoningMode> {
    /** Called by picocli with reflection. */
    public ReasoningOption() {
        super(ReasoningMode.class);
    }
}
