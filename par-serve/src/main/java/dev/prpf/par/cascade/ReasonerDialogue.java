package dev.prpf.par.cascade;

import dev.prpf.data.Sample;
import dev.prpf.data.encode.EncodingCost;
import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.constraint.ModelConstraints;
import dev.prpf.par.engine.PictureInputs;
import dev.prpf.par.generate.FinishReason;
import dev.prpf.par.generate.Generation;
import dev.prpf.par.generate.GenerationCost;
import dev.prpf.par.generate.TokenConstraint;
import dev.prpf.par.prompt.PromptRenderer;
import dev.prpf.par.prompt.ScreenTexts;
import dev.prpf.par.response.GeneratedResponse;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.vision.VisualPrompt;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a model in this process is asked and how its answer is read: the one way for runs over files and for a server.
 *
 * @param constraints null where responses are free; used by one thread at a time
 * @param vocabulary ids that the model tells apart
 * @param positions of a sequence, prompt and response together
 */
public record ReasonerDialogue(
        PromptRenderer renderer,
        ChatTokenizer chat,
        @Nullable ModelConstraints constraints,
        int vocabulary,
        int positions) {
    private static final Logger LOG = LoggerFactory.getLogger(ReasonerDialogue.class);

    /** A prompt's tokens, its pictures and what it took. */
    public record Prompt(long[] ids, PictureInputs pictures, PredictionCost.PromptCost cost) {}

    /** The prompt of a request; the texts of its screenshots are read with the renderer's {@link ScreenTexts}, its pictures seen with the tokenizer's encoder. */
    public Prompt prompt(Reasoner.Request request) {
        long[] nanos = new long[1];
        Sample shown = renderer.shown(request.sample());
        EncodingCost.Costed<Prompt> made = EncodingCost.Costed.of(this::screensCost, () -> {
            long start = System.nanoTime();
            VisualPrompt prompt = chat.prompt(
                    renderer.system(),
                    renderer.user(shown, request.perception(), request.candidates()),
                    shown.trajectory().screenshots(),
                    shown.id());
            PictureInputs pictures = chat.pictures().inputs(prompt.ids(), prompt.pictures());
            nanos[0] = System.nanoTime() - start;
            return new Prompt(prompt.ids(), pictures, PredictionCost.PromptCost.NONE);
        });
        double seconds = Math.max(0, nanos[0] / 1e9 - made.cost().seconds());
        Prompt prompt = made.result();
        int visual = prompt.pictures().places().tokens();
        return new Prompt(prompt.ids(), prompt.pictures(), new PredictionCost.PromptCost(seconds, made.cost(), visual));
    }

    /** What reading and seeing screenshots cost so far. */
    EncodingCost screensCost() {
        return renderer.screens().cost().plus(chat.pictures().encoder().cost());
    }

    /** Tokens of the shortest response, its end among them; also compiles what constraints need. */
    public int shortest() {
        return constraints == null
                ? 1
                : constraints.shortest(vocabulary, renderer.settings().reasoning());
    }

    /** Tokens of the longest prompt: the last new token needs no position. As {@link #shortest}, not for several threads at once. */
    public int room() {
        int needed = constraints == null ? 1 : shortest() - 1;
        return positions - needed;
    }

    /** Makes the constraint of a request's response; null where it is free. Constraints are made on one thread. */
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
     * Why a prompt is too long, or null.
     *
     * @param room of {@link #room}
     */
    public static @Nullable String tooLong(Prompt prompt, int room) {
        return prompt.ids().length <= room
                ? null
                : "the prompt has " + prompt.ids().length + " tokens, the model takes " + room;
    }

    /** Of a prompt that is too long: counted as malformed. */
    Reasoner.Reasoning refused(Reasoner.Request request, Prompt prompt, String why) {
        LOG.warn("sample {}: {}; counted as malformed", request.sample().id(), why);
        PredictionCost cost = PredictionCost.of(prompt.ids().length, 0, GenerationCost.NONE, prompt.cost());
        return new Reasoner.Reasoning("", new ParResponse.Malformed(0, why), null, cost);
    }

    /** Of what was written. */
    public Reasoner.Reasoning reasoning(Reasoner.Request request, Prompt prompt, Generation generation) {
        GeneratedResponse response = GeneratedResponse.of(generation, chat.tokenizer(), form(request));
        if (response.finish() == FinishReason.LENGTH) {
            LOG.warn(
                    "sample {}: its response was cut off after {} tokens",
                    request.sample().id(),
                    response.length());
        }
        PredictionCost cost =
                PredictionCost.of(prompt.ids().length, response.length(), generation.cost(), prompt.cost());
        return new Reasoner.Reasoning(response.text(), response.parsed(), response.finish(), cost);
    }
}
