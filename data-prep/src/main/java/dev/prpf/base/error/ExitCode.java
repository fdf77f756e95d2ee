package dev.prpf.base.error;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** What a command's exit status means (documented in docs/TROUBLESHOOTING.md), and which failures lead to it. */
public enum ExitCode {
    DONE(0, null),
    BUG(1, null),
    USAGE(2, UsageException.class),
    OUT_OF_MEMORY(3, InsufficientMemoryException.class),
    DIVERGED(10, DivergedException.class),
    GATE_FAILED(11, GateFailedException.class),
    BAD_DATA(65, InvalidDataException.class),
    UNAVAILABLE(69, UnavailableException.class),
    CHECKPOINTED(75, RunInterruptedException.class),
    BAD_CONFIG(78, InvalidConfigurationException.class);

    private final int status;
    private final @Nullable Class<? extends PrpfException> failure;

    ExitCode(int status, @Nullable Class<? extends PrpfException> failure) {
        this.status = status;
        this.failure = failure;
    }

    /** The exit code of a failure; {@link #BUG} for all that is no {@link PrpfException}. */
    public static ExitCode of(Throwable failure) {
        return Arrays.stream(values())
                .filter(code -> code.failure == failure.getClass())
                .findFirst()
                .orElse(BUG);
    }

    public int status() {
        return status;
    }
}
