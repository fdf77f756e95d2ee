package dev.prpf.par.command;

import dev.prpf.base.files.KeyedLines;
import dev.prpf.base.run.Progress;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Recommendation;
import dev.prpf.par.cascade.Prediction;
import dev.prpf.par.cascade.PredictionLines;
import dev.prpf.par.constraint.ConstraintSettings;
import dev.prpf.par.constraint.ResponseConstraints;
import dev.prpf.par.engine.Decoder;
import dev.prpf.par.generate.Generation;
import dev.prpf.par.generate.GenerationSettings;
import dev.prpf.par.generate.Generator;
import dev.prpf.par.generate.TokenConstraint;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.ResponseParser;
import dev.prpf.par.sets.PromptExample;
import dev.prpf.par.tokenizer.Tokenizer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A model's greedy responses, batch by batch. */
final class Responses {
    private final Generator generator;
    private final Tokenizer tokenizer;
    private final GenerationSettings settings;
    private final @Nullable ResponseConstraints constraints;

    /**
     * @param decoder and {@code tokenizer} stay the caller's
     * @param constrained whether responses can only be of the grammar and call functions that their prompt shows
     */
    Responses(Decoder decoder, Tokenizer tokenizer, GenerationSettings settings, boolean constrained) {
        generator = new Generator(decoder);
        this.tokenizer = tokenizer;
        this.settings = settings;
        constraints = constrained
                ? ResponseConstraints.of(
                        tokenizer,
                        decoder.config().vocabularySize(),
                        List.copyOf(settings.ending().tokens()),
                        ConstraintSettings.DEFAULT)
                : null;
    }

    /**
     * Answers the prompts that have no prediction yet.
     *
     * @param out the appender's file, for the message
     * @throws dev.prpf.base.error.PrpfException 75 when stopped by a signal
     */
    void append(List<PromptExample> prompts, KeyedLines appender, StopSignal stop, Path out) {
        try (Progress progress = Progress.start("par respond", prompts.size())) {
            for (int from = 0; from < prompts.size(); from += settings.batchSize()) {
                List<PromptExample> batch =
                        prompts.subList(from, Math.min(prompts.size(), from + settings.batchSize()));
                if (!batch.stream().allMatch(prompt -> appender.has(prompt.id()))) {
                    if (stop.requested()) {
                        throw StopSignal.checkpointed(appender.size(), out.resolveSibling("."));
                    }
                    respond(batch, appender);
                }
                progress.stepBy(batch.size());
            }
        }
    }

    /** The batch is computed whole, so that a run that was cut off comes to the same responses. */
    private void respond(List<PromptExample> batch, KeyedLines appender) {
        List<@Nullable TokenConstraint> kept = new ArrayList<>();
        batch.forEach(prompt -> kept.add(constraint(prompt)));
        List<Generation> responses =
                generator.generate(batch.stream().map(PromptExample::ids).toList(), settings, kept);
        for (int i = 0; i < batch.size(); i++) {
            if (!appender.has(batch.get(i).id())) {
                String text = tokenizer.decode(responses.get(i).withoutEndToken());
                PredictionLines.append(appender, prediction(batch.get(i), text));
            }
        }
        appender.flush();
    }

    private @Nullable TokenConstraint constraint(PromptExample prompt) {
        return constraints == null ? null : constraints.of(prompt.form(), prompt.functions());
    }

    private static Prediction prediction(PromptExample prompt, String text) {
        List<List<FunctionCall>> calls = ResponseParser.parse(text, prompt.form()) instanceof ParResponse.Parsed parsed
                ? parsed.recommendations().stream().map(Recommendation::calls).toList()
                : null;
        return new Prediction(prompt.id(), Prediction.Route.REASONED, null, Map.of(), text, calls);
    }
}
