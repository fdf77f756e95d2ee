package dev.prpf.base.error;

import dev.prpf.base.error.PrpfException.DivergedException;
import dev.prpf.base.error.PrpfException.GateFailedException;
import dev.prpf.base.error.PrpfException.InsufficientMemoryException;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.RunInterruptedException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.error.PrpfException.UsageException;
import java.util.Arrays;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Exit codes of commands, each with the failure that leads to it (docs/TROUBLESHOOTING.md). */
@SuppressWarnings("ImmutableEnumChecker") // constructors keep no state
public enum ExitCode {
    DONE(0, null, IllegalStateException::new),
    BUG(1, null, IllegalStateException::new),
    USAGE(2, UsageException.class, UsageException::new),
    OUT_OF_MEMORY(3, InsufficientMemoryException.class, InsufficientMemoryException::new),
    DIVERGED(10, DivergedException.class, DivergedException::new),
    GATE_FAILED(11, GateFailedException.class, GateFailedException::new),
    BAD_DATA(65, InvalidDataException.class, InvalidDataException::new),
    UNAVAILABLE(69, UnavailableException.class, UnavailableException::new),
    CHECKPOINTED(75, RunInterruptedException.class, RunInterruptedException::new),
    BAD_CONFIG(78, InvalidConfigurationException.class, InvalidConfigurationException::new);

    private final int status;
    private final @Nullable Class<? extends PrpfException> failure;

    private final Function<String, RuntimeException> maker;

    ExitCode(int status, @Nullable Class<? extends PrpfException> failure, Function<String, RuntimeException> maker) {
        this.status = status;
        this.failure = failure;
        this.maker = maker;
    }

    /** Returns the failure of an exit status, or an {@link IllegalStateException} if no failure has this status. */
    public static RuntimeException failure(int status, String message) {
        return Arrays.stream(values())
                .filter(code -> code.status == status)
                .findFirst()
                .orElse(BUG)
                .maker
                .apply(message);
    }

    /** Returns the exit code of a failure; {@link #BUG} unless it is a {@link PrpfException}. */
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
