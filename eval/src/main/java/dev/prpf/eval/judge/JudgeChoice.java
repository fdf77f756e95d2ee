package dev.prpf.eval.judge;

import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.UsageException;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.par.cascade.RemoteReasoner.RemoteSettings.StructuredOutput;
import dev.prpf.par.openai.AnswerJournal;
import dev.prpf.par.openai.ChatClient;
import dev.prpf.par.openai.ChatModel;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Which judge: {@code exact}, {@code llm:FILE} (a model on a server) or {@code local:FILE} (a model in this process).
 *
 * @param kind of judge
 * @param config its file; null for the exact judge
 */
public record JudgeChoice(Kind kind, @Nullable Path config) {
    /** The answers of a model beside a report. */
    public static final String ANSWERS = "judge-answers.jsonl";

    private static final String LLM = "llm:";
    private static final String LOCAL = "local:";

    /** Who judges. */
    public enum Kind {
        EXACT,
        LLM,
        LOCAL
    }

    /**
     * Reads the option's value.
     *
     * @throws dev.prpf.base.error.PrpfException 2 if it is none of the three
     */
    public static JudgeChoice parse(String text) {
        if (text.equals("exact")) {
            return new JudgeChoice(Kind.EXACT, null);
        }
        if (text.startsWith(LLM) && text.length() > LLM.length()) {
            return new JudgeChoice(Kind.LLM, Path.of(text.substring(LLM.length())));
        }
        if (text.startsWith(LOCAL) && text.length() > LOCAL.length()) {
            return new JudgeChoice(Kind.LOCAL, Path.of(text.substring(LOCAL.length())));
        }
        throw new UsageException(
                "--judge " + text
                        + ": must be exact, llm:FILE (see configs/judge-llm.yaml) or local:FILE (see configs/judge-local.yaml)");
    }

    /**
     * Where a model's judgement has its files.
     *
     * @param report the folder that keeps its answers; null where there is none
     * @param images where the screenshots lie
     */
    public record Places(@Nullable Path report, ImageFolder images) {}

    /**
     * Opens the judge.
     *
     * @param places of the answers of a model, and of the screenshots that it may be shown
     * @param overrides of keys of the file, KEY=VALUE
     * @param environment where a server's key stands
     * @param stopped polled while a model answers; true ends that with 75
     * @throws dev.prpf.base.error.PrpfException 2 for a model without a directory or overrides without a file, 78 for a file that is no such
     *     configuration, 69 where a key or a model's part is missing
     */
    public Judge open(Places places, List<String> overrides, Map<String, String> environment, BooleanSupplier stopped) {
        if (config == null) {
            if (!overrides.isEmpty()) {
                throw new UsageException("--set overrides keys of the judge's file; --judge exact has none");
            }
            return Judge.standard();
        }
        Path directory = places.report();
        if (directory == null) {
            throw new UsageException(
                    "--judge " + config
                            + ": a model's answers are kept beside the report, so that none is asked for twice; name its folder with --out");
        }
        AnswerJournal journal = new AnswerJournal(directory.resolve(ANSWERS));
        if (kind == Kind.LLM) {
            LlmJudge.Config read = StrictYaml.read(config, LlmJudge.Config.class, overrides);
            ChatModel model = new ChatClient(read.server(), read.judge().model(), environment, stopped);
            return new LlmJudge(model, journal, read.judge(), places.images(), read.price());
        }
        LlmJudge.LocalConfig read = StrictYaml.read(config, LlmJudge.LocalConfig.class, overrides);
        LocalModel model = LocalModel.open(read, stopped);
        return new LlmJudge(
                model,
                journal,
                new LlmJudge.Settings(model.model(), read.sampling(), StructuredOutput.NONE, null),
                places.images(),
                null);
    }
}
