package dev.prpf.par.command;

import dev.prpf.base.command.CascadePart;
import dev.prpf.base.command.ConfigOptions;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.par.sets.DataCallsConfig;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;

/** The options of {@code data calls}, on one machine and on Spark; a mixin. */
public final class CallsOptions extends ConfigOptions {
    @Option(
            names = "--questions",
            required = true,
            paramLabel = "FILE",
            description = "Records that some function serves (repeatable, each with its --answers).")
    public List<String> questions = List.of();

    @Option(
            names = "--answers",
            required = true,
            paramLabel = "FILE",
            description = "Gold answers for the --questions, in their order (repeatable).")
    public List<String> answers = List.of();

    @Option(
            names = "--irrelevant",
            paramLabel = "FILE",
            description = "Records that no function serves: silence is right (repeatable).")
    public List<String> irrelevant = List.of();

    @Option(
            names = "--reasoner",
            converter = CascadePart.Reasoner.class,
            required = true,
            paramLabel = "DIR",
            description = "The model that is to read the prompts; its tokenizer counts them.")
    public Path model = Path.of("");

    @Option(
            names = "--out",
            required = true,
            paramLabel = "DIR",
            description = "Where the sets go; on one machine replaced.")
    public String out = "";

    /**
     * Reads the configuration of the sets.
     *
     * @throws PrpfException 2 without a configuration, or if --questions and --answers differ in number
     */
    public DataCallsConfig configuration() {
        if (questions.size() != answers.size()) {
            throw new UsageException(questions.size() + " --questions but " + answers.size()
                    + " --answers; give each its own, in the same order");
        }
        return required(DataCallsConfig.class, "data calls");
    }
}
