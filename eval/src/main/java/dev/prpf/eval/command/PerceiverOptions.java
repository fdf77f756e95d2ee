package dev.prpf.eval.command;

import dev.prpf.base.command.EnumOption;
import dev.prpf.base.error.UsageException;
import dev.prpf.mpp.run.MppRun;
import dev.prpf.par.cascade.LocalReasoner;
import dev.prpf.par.cascade.PerceiverReading;
import dev.prpf.par.cascade.ReasonerPerceiver;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.prompt.PromptProvenance;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of the perceiver and its trigger threshold; a mixin. */
final class PerceiverOptions {
    private static final double HALF = 0.5;

    @Option(
            names = "--mpp",
            paramLabel = "RUN",
            description = "The perceiver's run; not needed with both switches off.")
    @Nullable
    Path mpp;

    @Option(
            names = "--perceiver-par",
            paramLabel = "DIR",
            description = {
                "A language model as perceiver, in place of --mpp: its model directory.",
                "With --remote, --max-new, --batch-size, --dtype and --constrained are the perceiver's."
            })
    private @Nullable Path languageModel;

    @Option(
            names = "--perceiver-reads",
            paramLabel = "HOW",
            converter = ReadingOption.class,
            description = {
                "log-odds: its probabilities of yes and no behind a question, one a scenario;",
                "words: the response that it writes with the whole pool (default: log-odds)."
            })
    private @Nullable PerceiverReading reads;

    @Option(
            names = "--threshold",
            paramLabel = "TAU",
            description = "Trigger iff p >= TAU (default: of mpp sweep; 0.5 with --perceiver-par).")
    private @Nullable Double threshold;

    static final class ReadingOption extends EnumOption<PerceiverReading> {
        ReadingOption() {
            super(PerceiverReading.class);
        }
    }

    /** How a language model perceives; null where the perceiver is trained. */
    record Perceiving(ReasonerPerceiver.@Nullable Settings perceiver) {}

    /**
     * What these options decide.
     *
     * @param decoding of a model in this process; a perceiver is greedy
     * @param perceives whether anything does
     */
    Perceiving perceiving(LocalReasoner.Settings decoding, boolean perceives) {
        if (languageModel == null) {
            if (reads != null) {
                throw new UsageException("--perceiver-reads says how --perceiver-par is read; there is none");
            }
            return new Perceiving(null);
        }
        if (!perceives) {
            throw new UsageException("--perceiver-par has no effect with --gate off --compress off: nothing perceives");
        }
        if (mpp != null) {
            throw new UsageException("--perceiver-par stands in place of --mpp; give one of them");
        }
        return new Perceiving(new ReasonerPerceiver.Settings(
                reads == null ? PerceiverReading.LOG_ODDS : reads,
                new LocalReasoner.Settings(
                        decoding.maxNew(), decoding.batchSize(), decoding.dtype(), decoding.constrained(), null)));
    }

    Optional<Path> languageModel() {
        return Optional.ofNullable(languageModel);
    }

    boolean isLanguageModel() {
        return languageModel != null;
    }

    /** Opens a language model as perceiver, or null where the perceiver is trained. */
    LoadedCascade.@Nullable PerceiverSource source(Perceiving perceiving) {
        Path model = languageModel;
        ReasonerPerceiver.Settings settings = perceiving.perceiver();
        return model == null || settings == null
                ? null
                : (pool, catalog, texts) -> ReasonerPerceiver.open(model, pool, catalog, texts, settings);
    }

    double tau() {
        if (threshold != null) {
            return threshold;
        }
        if (languageModel != null) {
            return HALF;
        }
        if (mpp == null) {
            throw new UsageException("the gate needs a perceiver: name its run with --mpp, or set --gate off");
        }
        return new MppRun(mpp).threshold().threshold();
    }

    /** The gate's threshold with its rule and risk control, as reports name it. */
    String sentence(double tau) {
        if (threshold != null || mpp == null) {
            return "tau " + tau + (threshold == null ? " (default)" : " (given)") + ", no risk control";
        }
        return new MppRun(mpp).threshold().sentence();
    }

    /** What the perceiver was, for {@code run.json}; {@code perceives} says whether there is one. */
    Map<String, Object> facts(String id, boolean perceives) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("perceiver", id);
        facts.put("mpp_sha256", mpp == null || !perceives ? "none" : new MppRun(mpp).sha256());
        if (languageModel != null && perceives) {
            facts.put(
                    "perceiver_model_sha256",
                    HuggingFaceDirectory.open(languageModel).sha256());
            facts.put(
                    "perceiver_prompt_hash",
                    PromptProvenance.read(languageModel).promptHash());
        }
        return facts;
    }
}
