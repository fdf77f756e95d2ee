package dev.prpf.eval.command;

import dev.prpf.base.command.CascadePart;
import dev.prpf.base.command.EnumOption;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.mpp.tables.ThresholdReport;
import dev.prpf.mpp.training.MppRun;
import dev.prpf.par.cascade.LoadedCascade;
import dev.prpf.par.cascade.LocalReasoner;
import dev.prpf.par.cascade.ReasonerPerceiver;
import dev.prpf.par.cascade.ReasonerPerceiver.PerceiverReading;
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
            names = "--gate",
            converter = CascadePart.Gate.class,
            paramLabel = "RUN",
            description = "The perceiver's run; optional with --gating off --compress off.")
    @Nullable
    Path mpp;

    @Option(
            names = "--perceiver-model",
            paramLabel = "DIR",
            description = {
                "Model directory of a language model as perceiver, instead of --gate.",
                "With --remote, --max-new, --batch-size, --dtype and --constrained apply to the perceiver."
            })
    private @Nullable Path languageModel;

    @Option(
            names = "--perceiver-reads",
            paramLabel = "HOW",
            converter = ReadingOption.class,
            description = {
                "log-odds: its probabilities of yes and no after a question, one for each scenario;",
                "words: the response that it generates with the whole pool (default: log-odds)."
            })
    private @Nullable PerceiverReading reads;

    @Option(
            names = "--threshold",
            paramLabel = "TAU",
            description = "Trigger iff p >= TAU (default: from gate sweep; 0.5 with --perceiver-model).")
    private @Nullable Double threshold;

    static final class ReadingOption extends EnumOption<PerceiverReading> {
        ReadingOption() {
            super(PerceiverReading.class);
        }
    }

    /** Settings of a language model as perceiver; null for a trained perceiver. */
    record Perceiving(ReasonerPerceiver.@Nullable Settings perceiver) {}

    /**
     * Returns the settings of these options.
     *
     * @param decoding of a model in this process; a perceiver is greedy
     */
    Perceiving perceiving(LocalReasoner.Settings decoding, boolean perceives) {
        if (languageModel == null) {
            if (reads != null) {
                throw new UsageException("--perceiver-reads needs --perceiver-model");
            }
            return new Perceiving(null);
        }
        if (!perceives) {
            throw new UsageException(
                    "--perceiver-model has no effect with --gating off --compress off, which need no perceiver");
        }
        if (mpp != null) {
            throw new UsageException("--perceiver-model replaces --gate; give one of them");
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

    /** Returns a source of a language model as perceiver; null for a trained perceiver. */
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
            throw new UsageException("the gate needs a perceiver: name its run with --gate, or set --gating off");
        }
        return MppRun.trained(mpp).threshold().threshold();
    }

    /** Describes the gate's threshold with its rule and risk control, for reports. */
    String sentence(double tau) {
        if (threshold != null || mpp == null) {
            return "tau " + tau + (threshold == null ? " (default)" : " (given)") + ", no risk control";
        }
        return ThresholdReport.sentence(MppRun.trained(mpp).threshold());
    }

    /** Returns the perceiver's facts for {@code run.json}; none unless {@code perceives}. */
    Map<String, Object> facts(String id, boolean perceives) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("perceiver", id);
        facts.put(
                "gate_sha256",
                mpp == null || !perceives ? "none" : MppRun.trained(mpp).sha256());
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
