package dev.prpf.eval.run;

import dev.prpf.par.cascade.RemoteConfig;
import dev.prpf.par.openai.AnswerJournal;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;

/** Where a run's reasoner is. */
public sealed interface ReasonerPlace {
    /**
     * In this process.
     *
     * @param model its directory
     */
    record Local(Path model) implements ReasonerPlace {}

    /**
     * On a server.
     *
     * @param config how it is reached and the settings of requests
     * @param journal where its answers are kept
     * @param stopped whether the run was told to end
     */
    record Remote(RemoteConfig config, AnswerJournal journal, BooleanSupplier stopped) implements ReasonerPlace {}
}
