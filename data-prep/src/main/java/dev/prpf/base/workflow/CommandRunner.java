package dev.prpf.base.workflow;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import java.util.List;

/** Runs prpf commands. */
public interface CommandRunner {
    /**
     * Runs a command to its end.
     *
     * @param command its words, without {@code ./prpf}
     * @throws PrpfException as the command's own failure; 75 if a signal stopped it
     */
    void run(List<String> command);

    /** @throws PrpfException the failure whose status a command left with */
    static void requireDone(int status) {
        if (status != ExitCode.DONE.status()) {
            throw ExitCode.failure(status, "the command above left with " + status + "; the lines above say why");
        }
    }
}
