package dev.prpf.base.workflow;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import java.util.List;

/** Runs prpf commands, in this process or in a new one. */
public interface CommandRunner {
    /**
     * Runs a command to its end.
     *
     * @param command words without {@code ./prpf}
     * @throws PrpfException if the command fails, with its exit status; 75 if a signal stopped it
     */
    void run(List<String> command);

    /** @throws PrpfException the failure of the command's exit status */
    static void requireDone(int status) {
        if (status != ExitCode.DONE.status()) {
            throw ExitCode.failure(status, "the command above left with " + status + "; the lines above say why");
        }
    }
}
