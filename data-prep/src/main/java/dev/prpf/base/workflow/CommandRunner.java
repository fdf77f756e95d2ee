package dev.prpf.base.workflow;

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
}
