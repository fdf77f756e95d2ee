package dev.prpf.par.serve.cascade;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.data.Sample.Modality;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.encode.EncodingCost;
import dev.prpf.par.cascade.PromptedModel;
import dev.prpf.par.cascade.Reasoner;
import dev.prpf.par.cascade.ReasonerDialogue;
import dev.prpf.par.constraint.ModelConstraints;
import dev.prpf.par.generate.Generation;
import dev.prpf.par.generate.Generation.FinishReason;
import dev.prpf.par.generate.GenerationRequest;
import dev.prpf.par.generate.ResponseText;
import dev.prpf.par.generate.SamplingParams;
import dev.prpf.par.generate.SamplingParams.StoppingCriteria;
import dev.prpf.par.prompt.PromptRenderer;
import dev.prpf.par.prompt.PromptSettings.PromptWording;
import dev.prpf.par.serve.generation.GenerationService;
import dev.prpf.par.serve.generation.GenerationStream;
import dev.prpf.par.serve.generation.GenerationStream.Update;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.tokenizer.Tokenizer;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/** A reasoner of a model in this process, using the server's generation loop with greedy decoding. */
public final class LocalServedReasoner implements ServedReasoner {
    private static final Duration STEP = Duration.ofMillis(100);

    private final ReasonerDialogue dialogue;
    private final GenerationService generations;
    private final PerceiverService perceiver;
    private final SamplingParams params;
    private final Tokenizer tokenizer;
    private final int room;

    /**
     * Compiles what the model's constraints need.
     *
     * @param policy of the model; the caller closes it
     * @param generations of the same model
     * @param perceiver reads the screenshots
     * @throws PrpfException 65 for a tokenizer that cannot be constrained, 78 if no response is as short as the settings ask
     */
    public LocalServedReasoner(
            PromptedModel policy,
            GenerationService generations,
            ScenarioCatalog catalog,
            PerceiverService perceiver,
            CascadeSettings settings) {
        List<Integer> end = policy.directory().generationDefaults().endTokens();
        tokenizer = policy.tokenizer();
        ModelConstraints constraints = settings.constrained() ? new ModelConstraints(tokenizer, end) : null;
        PromptRenderer renderer = new PromptRenderer(policy.provenance().prompt(), catalog, perceiver.screens());
        dialogue = new ReasonerDialogue(
                renderer, policy.chat(), constraints, generations.vocabularySize(), generations.positions());
        if (dialogue.shortest() > settings.maxNewTokens()) {
            throw new InvalidConfigurationException("cascade.max-new-tokens = " + settings.maxNewTokens()
                    + ", must be at least " + dialogue.shortest() + ", the tokens of this model's shortest response");
        }
        room = dialogue.room();
        this.generations = generations;
        this.perceiver = perceiver;
        params = new SamplingParams(settings.maxNewTokens(), null, 1, StoppingCriteria.at(end), false);
    }

    @Override
    public PromptWording wording() {
        return dialogue.renderer().settings().wording();
    }

    @Override
    public Reasoner.Reasoning reason(String caller, Reasoner.Request request, Listener listener) {
        ReasonerDialogue.Draft draft = request.sample().modality() == Modality.MULTIMODAL
                ? drafted(perceiver.limited(new Client(caller, listener::waiting)), request)
                : dialogue.draft(request);
        String tooLong = ReasonerDialogue.tooLong(draft, room);
        if (tooLong != null) {
            throw ApiException.contextLengthExceeded(
                    listener.trajectoryField(), tooLong + "; send a shorter trajectory or context");
        }
        ReasonerDialogue.Encoded encoded = draft.prompt().images().isEmpty()
                ? dialogue.see(draft)
                : generations
                        .vision()
                        .see(
                                caller,
                                listener::waiting,
                                dialogue.encoder(),
                                draft.prompt(),
                                cost -> dialogue.see(draft.plus(cost)));
        GenerationRequest generation =
                new GenerationRequest(encoded.prompt(), params, 0, dialogue.constraint(request), caller);
        GenerationStream stream = generations.submit(List.of(generation)).get(0);
        try {
            return dialogue.reasoning(request, encoded, written(stream, listener));
        } finally {
            stream.cancel();
        }
    }

    private ReasonerDialogue.Draft drafted(Client client, Reasoner.Request request) {
        EncodingCost read = perceiver.readTexts(client, dialogue.renderer(), request.sample());
        return perceiver.run(client, () -> dialogue.draft(request)).plus(read);
    }

    /** Receives updates until the response is complete, and passes its text on. */
    private Generation written(GenerationStream stream, Listener listener) {
        ResponseParts parts = new ResponseParts(listener::wrote);
        ResponseText text = new ResponseText(params, tokenizer::decode, new long[0]);
        boolean wanted = listener.watches();
        while (true) {
            Update update = stream.next(STEP);
            if (update == null) {
                listener.waiting();
            } else if (update instanceof Update.Tokens tokens) {
                if (wanted) {
                    String gained =
                            LongStream.of(tokens.ids()).mapToObj(text::add).collect(Collectors.joining());
                    wanted = parts.tell(gained, false) || cancelled(stream);
                }
            } else if (update instanceof Update.Finished finished) {
                if (finished.generation().finish() == FinishReason.TIMEOUT) {
                    throw ApiException.timeout("the response was not whole when the request's time ran out");
                }
                if (wanted) {
                    parts.tell(text.end(), true);
                }
                return finished.generation();
            } else {
                throw ((Update.Failed) update).cause();
            }
        }
    }

    private static boolean cancelled(GenerationStream stream) {
        stream.cancel();
        return false;
    }
}
