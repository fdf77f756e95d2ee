package dev.prpf.base.workflow;

import dev.prpf.base.error.DivergedException;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.GateFailedException;
import dev.prpf.base.error.InsufficientMemoryException;
import dev.prpf.base.error.InvalidConfigurationException;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.RunInterruptedException;
import dev.prpf.base.error.UnavailableException;
import dev.prpf.base.error.UsageException;
import java.util.stream.Stream;

/** What the status that a command left with means to the one that ran it. */
public final class ExitStatus {
    private ExitStatus() {}

    /** @throws PrpfException the failure whose status it is; an {@link IllegalStateException} for one that is no failure's */
    static void requireDone(int status) {
        if (status != ExitCode.DONE.status()) {
            throw failure(status, "the command above left with " + status + "; the lines above say why");
        }
    }

    /** The failure whose status it is, with a message; an {@link IllegalStateException} for a status that is no failure's. */
    public static RuntimeException failure(int status, String message) {
        ExitCode code = Stream.of(ExitCode.values())
                .filter(one -> one.status() == status)
                .findFirst()
                .orElse(ExitCode.BUG);
        return failure(code, message);
    }

    private static RuntimeException failure(ExitCode code, String left) {
        return switch (code) {
            case USAGE -> new UsageException(left);
            case OUT_OF_MEMORY -> new InsufficientMemoryException(left);
            case DIVERGED -> new DivergedException(left);
            case GATE_FAILED -> new GateFailedException(left);
            case BAD_DATA -> new InvalidDataException(left);
            case UNAVAILABLE -> new UnavailableException(left);
            case CHECKPOINTED -> new RunInterruptedException(left);
            case BAD_CONFIG -> new InvalidConfigurationException(left);
            case DONE, BUG -> new IllegalStateException(left);
        };
    }
}
