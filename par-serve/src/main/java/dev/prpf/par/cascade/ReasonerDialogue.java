package dev.prpf.par.cascade;

import dev.prpf.data.Sample;
import dev.prpf.data.encode.EncodingCost;
import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.constraint.ModelConstraints;
import dev.prpf.par.engine.Prompt;
import dev.prpf.par.generate.Generation;
import dev.prpf.par.generate.Generation.FinishReason;
import dev.prpf.par.generate.Generation.GenerationCost;
import dev.prpf.par.generate.TokenConstraint;
import dev.prpf.par.prompt.PromptRenderer;
import dev.prpf.par.prompt.ScreenTexts;
import dev.prpf.par.response.GeneratedResponse;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.tokenizer.Piece;
import dev.prpf.par.vision.VisionEncoder;
import dev.prpf.par.vision.VisualPrompt;
import dev.prpf.par.vision.VisualPrompt.PromptImage;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates the prompts of a model in this process and parses its answers, for runs over files and for a server.
 *
 * @param constraints null for free responses; used by one thread at a time
 * @param vocabulary number of the model's ids
 * @param positions most positions of a sequence, prompt and response together
 */
public record ReasonerDialogue(
        PromptRenderer renderer,
        ChatTokenizer chat,
        @Nullable ModelConstraints constraints,
        int vocabulary,
        int positions) {
    private static final Logger LOG = LoggerFactory.getLogger(ReasonerDialogue.class);

    /** A prompt with images not decoded yet, and its cost. */
    public record Draft(VisualPrompt prompt, PredictionCost.PromptCost cost) {
        int length() {
            return prompt.ids().length;
        }

        /** Adds the cost of images that were recognized or encoded before. */
        public Draft plus(EncodingCost images) {
            return new Draft(
                    prompt,
                    new PredictionCost.PromptCost(cost.seconds(), cost.screens().plus(images), cost.visualTokens()));
        }
    }

    /** A prompt with its encoded images, and its cost. */
    public record Encoded(Prompt prompt, PredictionCost.PromptCost cost) {}

    /** Returns the prompt of a request; the renderer's {@link ScreenTexts} read its screenshots. */
    public Draft draft(Reasoner.Request request) {
        return draft(request.sample(), shown -> renderer.user(shown, request.perception(), request.candidates()));
    }

    /** Returns a prompt about a sample; the user turn is rendered from the shown part of the sample. */
    Draft draft(Sample sample, Function<Sample, List<Piece>> user) {
        Sample shown = renderer.shown(sample);
        long start = System.nanoTime();
        EncodingCost.Costed<VisualPrompt> made = EncodingCost.Costed.of(
                renderer.screens()::cost,
                () -> chat.prompt(
                        renderer.system(), user.apply(shown), shown.trajectory().screenshots(), shown.id()));
        int visual = PromptImage.tokens(made.result().shown());
        return new Draft(
                made.result(), new PredictionCost.PromptCost(secondsWithout(made, start), made.cost(), visual));
    }

    /** Returns the vision encoder for the images of prompts. */
    public VisionEncoder encoder() {
        return chat.images().encoder();
    }

    /** Encodes the prompt's images with the tokenizer's encoder; call only if the prompt is not too long. */
    public Encoded see(Draft draft) {
        long start = System.nanoTime();
        EncodingCost.Costed<Prompt> seen = EncodingCost.Costed.of(
                () -> encoder().cost(), () -> chat.images().see(draft.prompt()));
        PredictionCost.PromptCost cost = draft.cost();
        return new Encoded(
                seen.result(),
                new PredictionCost.PromptCost(
                        cost.seconds() + secondsWithout(seen, start),
                        cost.screens().plus(seen.cost()),
                        cost.visualTokens()));
    }

    private static double secondsWithout(EncodingCost.Costed<?> made, long start) {
        return Math.max(0, (System.nanoTime() - start) / 1e9 - made.cost().seconds());
    }

    /** Returns the tokens of the shortest response, with its end; also compiles the constraints. */
    public int shortest() {
        return constraints == null
                ? 1
                : constraints.shortest(vocabulary, renderer.settings().reasoning());
    }

    /** Returns the tokens of the longest prompt: the last new token needs no position. Like {@link #shortest}, not thread-safe. */
    public int room() {
        int needed = constraints == null ? 1 : shortest() - 1;
        return positions - needed;
    }

    /** Returns the constraint of a request's response; null without constraints. Constraints are created on one thread. */
    public @Nullable Supplier<TokenConstraint> constraint(Reasoner.Request request) {
        ModelConstraints kept = constraints;
        return kept == null
                ? null
                : () -> kept.of(vocabulary, form(request), request.candidates().functions());
    }

    private ResponseForm form(Reasoner.Request request) {
        return ResponseForm.of(renderer.settings().reasoning(), request.sample().modality());
    }

    /**
     * Returns why a prompt is too long, or null.
     *
     * @param room from {@link #room}
     */
    public static @Nullable String tooLong(Draft draft, int room) {
        return draft.length() <= room ? null : "the prompt has " + draft.length() + " tokens, the model takes " + room;
    }

    /** Returns the result of a prompt that is too long, which counts as malformed. */
    Reasoner.Reasoning refused(Reasoner.Request request, Draft draft, String why) {
        LOG.warn("sample {}: {}; counted as malformed", request.sample().id(), why);
        PredictionCost cost = PredictionCost.of(draft.length(), 0, GenerationCost.NONE, draft.cost());
        return new Reasoner.Reasoning("", new ParResponse.Malformed(0, why), null, cost);
    }

    /** Returns the reasoning that was generated for a request. */
    public Reasoner.Reasoning reasoning(Reasoner.Request request, Encoded encoded, Generation generation) {
        GeneratedResponse response = GeneratedResponse.of(generation, chat.tokenizer(), form(request));
        if (response.finish() == FinishReason.LENGTH) {
            LOG.warn(
                    "sample {}: its response was cut off after {} tokens",
                    request.sample().id(),
                    response.length());
        }
        PredictionCost cost =
                PredictionCost.of(encoded.prompt().length(), response.length(), generation.cost(), encoded.cost());
        return new Reasoner.Reasoning(response.text(), response.parsed(), response.finish(), cost);
    }
}
