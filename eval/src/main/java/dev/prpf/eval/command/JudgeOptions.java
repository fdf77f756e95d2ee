package dev.prpf.eval.command;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.eval.judge.Judge;
import dev.prpf.eval.judge.JudgeChoice;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of commands with a judge; a mixin. */
final class JudgeOptions {
    @Option(
            names = "--judge",
            paramLabel = "JUDGE",
            defaultValue = "exact",
            description = {
                "The judge of functional equivalence, for SR: exact, llm:FILE (a model on a server, see"
                        + " configs/judge-llm.yaml) or local:FILE (a model in this process, see"
                        + " configs/judge-local.yaml); default: ${DEFAULT-VALUE}."
            })
    private String judge;

    @Option(names = "--set", paramLabel = "KEY=VALUE", description = "Override a key of the judge's file (repeatable).")
    private List<String> overrides = List.of();

    @Option(
            names = "--images",
            paramLabel = "DIR",
            description = "Root of the samples' image paths, for a judge that sees screenshots (judge.screenshots),"
                    + " and for eval score's page, which shows the failures' screenshots.")
    @Nullable
    Path images;

    /** @throws PrpfException 2 for an unknown judge */
    JudgeChoice choice() {
        return JudgeChoice.parse(judge);
    }

    /** Handles signals if the judge is a model, which stops between two answers; else null: a signal ends the process. */
    @Nullable
    StopSignal stopSignal() {
        return choice().kind() == JudgeChoice.Kind.EXACT ? null : StopSignal.install();
    }

    /**
     * Opens the chosen judge.
     *
     * @param out folder for the answers of a model
     * @param stop {@link #stopSignal()}
     * @throws PrpfException as {@link JudgeChoice#open}
     */
    Judge open(@Nullable Path out, @Nullable StopSignal stop) {
        JudgeChoice.Places places = new JudgeChoice.Places(out, new ImageFolder(images));
        return choice().open(places, overrides, System.getenv(), () -> stop != null && stop.requested());
    }
}
