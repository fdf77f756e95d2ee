package dev.prpf.eval.judge;

import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.PrpfException.UsageException;
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
 * The value of {@code --judge}: {@code exact}, {@code llm:FILE} (a model on a server) or {@code local:FILE} (a model in this process).
 *
 * @param config the judge's configuration file; null for the exact judge
 */
public record JudgeChoice(Kind kind, @Nullable Path config) {
    /** File in a report's folder that keeps the model's answers. */
    public static final String ANSWERS = "judge-answers.jsonl";

    private static final String LLM = "llm:";
    private static final String LOCAL = "local:";

    public enum Kind {
        EXACT,
        LLM,
        LOCAL
    }

    /**
     * Reads the option's value.
     *
     * @throws dev.prpf.base.error.PrpfException 2 for any other value
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
     * Paths of a model's judgement.
     *
     * @param report the folder that keeps the model's answers; null without one
     * @param images the screenshots' folder
     */
    public record Places(@Nullable Path report, ImageFolder images) {}

    /**
     * Opens the judge with its model.
     *
     * @param places paths of the model's answers and of its screenshots
     * @param overrides overrides of the file's keys, KEY=VALUE
     * @param environment environment variables, one of which holds a server's API key
     * @param stopped polled while a model answers; true stops it with 75
     * @throws dev.prpf.base.error.PrpfException 2 for a model without a directory or overrides without a file. 78 for an invalid configuration
     *     file. 69 if a key or a part of the model is missing
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
                            + ": a model's answers are kept in the report's folder, so that each question is sent once; name that folder with --out");
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
                new LlmJudge.Settings(model.model(), read.sampling(), StructuredOutput.NONE, null, read.language()),
                places.images(),
                null);
    }
}
