package dev.prpf.eval.judge;

import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.par.cascade.RemoteReasoner.RemoteSettings.StructuredOutput;
import dev.prpf.par.openai.AnswerJournal;
import dev.prpf.par.openai.ChatClient;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of commands with a judge; a mixin. */
public final class JudgeOptions {
    private static final String EXACT = "exact";
    private static final String LLM = "llm:";
    private static final String LOCAL = "local:";
    /** File in a report's folder that keeps the model's answers. */
    private static final String ANSWERS = "judge-answers.jsonl";

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
    public @Nullable Path images;

    /** @throws dev.prpf.base.error.PrpfException 2 for an unknown judge */
    public void requireKnown() {
        if (!judge.matches("exact|(llm|local):.+")) {
            throw new UsageException(
                    "--judge " + judge
                            + ": must be exact, llm:FILE (see configs/judge-llm.yaml) or local:FILE (see configs/judge-local.yaml)");
        }
    }

    /** Handles signals if the judge is a model, which stops between two answers; else null: a signal ends the process. */
    public @Nullable StopSignal stopSignal() {
        return judge.equals(EXACT) ? null : StopSignal.install();
    }

    /**
     * Opens the judge with its model.
     *
     * @param out folder that keeps the model's answers; null without one
     * @param stop {@link #stopSignal()}, which stops a model with 75
     * @throws dev.prpf.base.error.PrpfException 2 for a model without a folder or overrides without a file. 78 for an invalid configuration
     *     file. 69 if a key or a part of the model is missing
     */
    public Judge open(@Nullable Path out, @Nullable StopSignal stop) {
        if (judge.equals(EXACT)) {
            if (!overrides.isEmpty()) {
                throw new UsageException("--set overrides keys of the judge's file; --judge exact has none");
            }
            return Judge.standard();
        }
        boolean remote = judge.startsWith(LLM);
        Path config = Path.of(judge.substring((remote ? LLM : LOCAL).length()));
        if (out == null) {
            throw new UsageException(
                    "--judge " + config
                            + ": a model's answers are kept in the report's folder, so that each question is sent once; name that folder with --out");
        }
        AnswerJournal journal = new AnswerJournal(out.resolve(ANSWERS));
        BooleanSupplier stopped = () -> stop != null && stop.requested();
        return remote ? remote(config, journal, stopped) : local(config, journal, stopped);
    }

    private Judge remote(Path config, AnswerJournal journal, BooleanSupplier stopped) {
        LlmJudge.Config read = StrictYaml.read(config, LlmJudge.Config.class, overrides);
        ChatClient model = new ChatClient(read.server(), read.judge().model(), System.getenv(), stopped);
        return new LlmJudge(model, journal, read.judge(), new ImageFolder(images), read.price());
    }

    private Judge local(Path config, AnswerJournal journal, BooleanSupplier stopped) {
        LlmJudge.LocalConfig read = StrictYaml.read(config, LlmJudge.LocalConfig.class, overrides);
        LocalModel model = LocalModel.open(read, stopped);
        LlmJudge.Settings settings =
                new LlmJudge.Settings(model.model(), read.sampling(), StructuredOutput.NONE, null, read.language());
        return new LlmJudge(model, journal, settings, new ImageFolder(images), null);
    }
}
