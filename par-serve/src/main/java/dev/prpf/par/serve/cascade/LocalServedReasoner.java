package dev.prpf.par.serve.cascade;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.data.Sample;
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
import dev.prpf.par.prompt.ScreenTexts;
import dev.prpf.par.serve.generation.GenerationService;
import dev.prpf.par.serve.generation.GenerationStream;
import dev.prpf.par.serve.generation.GenerationStream.Update;
import dev.prpf.par.serve.generation.VisionTurns;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.tokenizer.Tokenizer;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/** A reasoner of a model in this process, using the server's generation loop with greedy decoding. */
public final class LocalServedReasoner implements ServedReasoner {
    private static final Duration STEP = Duration.ofMillis(100);

    private final ReasonerDialogue texts;
    private final ReasonerDialogue screens;
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
        PromptRenderer seeing = new PromptRenderer(policy.provenance().prompt(), catalog, perceiver.screens());
        PromptRenderer blind = new PromptRenderer(policy.provenance().prompt(), catalog, ScreenTexts.none());
        int vocabulary = generations.vocabularySize();
        screens = new ReasonerDialogue(seeing, policy.chat(), constraints, vocabulary, generations.positions());
        texts = new ReasonerDialogue(blind, policy.chat(), constraints, vocabulary, generations.positions());
        if (texts.shortest() > settings.maxNewTokens()) {
            throw new InvalidConfigurationException("cascade.max-new-tokens = " + settings.maxNewTokens()
                    + ", must be at least " + texts.shortest() + ", the tokens of this model's shortest response");
        }
        room = texts.room();
        this.generations = generations;
        this.perceiver = perceiver;
        params = new SamplingParams(settings.maxNewTokens(), null, 1, StoppingCriteria.at(end), false);
    }

    @Override
    public PromptWording wording() {
        return texts.renderer().settings().wording();
    }

    @Override
    public Reasoner.Reasoning reason(String caller, Reasoner.Request request, Listener listener) {
        boolean sees = request.sample().modality() == Modality.MULTIMODAL;
        ReasonerDialogue dialogue = sees ? screens : texts;
        ReasonerDialogue.Draft draft = sees
                ? drafted(perceiver.limited(new Client(caller, listener::waiting)), request, dialogue)
                : dialogue.draft(request);
        String tooLong = ReasonerDialogue.tooLong(draft, room);
        if (tooLong != null) {
            throw ApiException.contextLengthExceeded(
                    listener.trajectoryField(), tooLong + "; send a shorter trajectory or context");
        }
        ReasonerDialogue.Encoded encoded = draft.prompt().images().isEmpty()
                ? dialogue.see(draft)
                : seen(new Client(caller, listener::waiting), dialogue, draft, request.sample());
        GenerationRequest generation =
                new GenerationRequest(encoded.prompt(), params, 0, dialogue.constraint(request), caller);
        GenerationStream stream = generations.submit(List.of(generation)).get(0);
        try {
            return dialogue.reasoning(request, encoded, new Writing(stream, listener).end());
        } finally {
            stream.cancel();
        }
    }

    private ReasonerDialogue.Draft drafted(Client client, Reasoner.Request request, ReasonerDialogue dialogue) {
        EncodingCost read = perceiver.readTexts(client, dialogue.renderer(), request.sample());
        return perceiver
                .run(client, request.sample(), () -> dialogue.draft(request))
                .plus(read);
    }

    private ReasonerDialogue.Encoded seen(
            Client client, ReasonerDialogue dialogue, ReasonerDialogue.Draft draft, Sample sample) {
        VisionTurns turns = generations.vision();
        Runnable waiting = turns.limited(client.waiting());
        try {
            EncodingCost ahead = turns.ahead(client.caller(), waiting, dialogue.encoder(), draft.prompt());
            return turns.turn(client.caller(), waiting, () -> dialogue.see(draft.plus(ahead)));
        } catch (InvalidDataException e) {
            throw UnreadableImage.of(sample, e);
        }
    }

    /** A response during its generation. */
    private final class Writing {
        private final GenerationStream stream;
        private final Listener listener;
        private final ResponseParts parts = new ResponseParts();
        private final ResponseText text = new ResponseText(params, tokenizer::decode, new long[0]);
        private boolean wanted = true;

        Writing(GenerationStream stream, Listener listener) {
            this.stream = stream;
            this.listener = listener;
        }

        /** Receives updates until the response is complete. */
        Generation end() {
            while (true) {
                Update update = stream.next(STEP);
                if (update == null) {
                    listener.waiting();
                } else if (update instanceof Update.Tokens tokens) {
                    if (listener.watches()) {
                        String gained =
                                LongStream.of(tokens.ids()).mapToObj(text::add).collect(Collectors.joining());
                        tell(parts.add(gained, false));
                    }
                } else if (update instanceof Update.Finished finished) {
                    return whole(finished.generation());
                } else {
                    throw ((Update.Failed) update).cause();
                }
            }
        }

        private void tell(List<ResponseParts.Delta> deltas) {
            for (ResponseParts.Delta delta : deltas) {
                wanted = wanted && listener.wrote(delta);
            }
            if (!wanted) {
                stream.cancel();
            }
        }

        private Generation whole(Generation generation) {
            if (generation.finish() == FinishReason.TIMEOUT) {
                throw ApiException.timeout("the response was not whole when the request's time ran out");
            }
            if (listener.watches()) {
                tell(parts.add(text.end(), true));
            }
            return generation;
        }
    }
}
