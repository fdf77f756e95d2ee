package dev.prpf.par.cascade;

import dev.prpf.base.config.Rule;
import dev.prpf.base.error.Closing;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.constraint.ModelConstraints;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.ImageParts;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.Prompt;
import dev.prpf.par.generate.Generation;
import dev.prpf.par.generate.GenerationRequest;
import dev.prpf.par.generate.Generator;
import dev.prpf.par.generate.Generator.GenerationSettings;
import dev.prpf.par.generate.SamplingParams;
import dev.prpf.par.generate.SamplingParams.Sampling;
import dev.prpf.par.generate.SamplingParams.StoppingCriteria;
import dev.prpf.par.prompt.PromptProvenance;
import dev.prpf.par.prompt.PromptRenderer;
import dev.prpf.par.prompt.ScreenTexts;
import dev.prpf.par.vision.ModelVisionEncoder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A reasoner in this process, with the prompts of its model's training; generates several responses at a time.
 *
 * @param chat tokenizer and chat template of the model, closed with the reasoner
 * @param decoder of the model, closed with the reasoner
 * @param sampling null for greedy decoding
 * @param constraints null for free responses
 * @param sight vision encoder, closed with the reasoner; null if prompts have no images
 */
public record LocalReasoner(
        String id,
        PromptRenderer renderer,
        ChatTokenizer chat,
        CausalLm decoder,
        GenerationSettings settings,
        @Nullable SeededSampling sampling,
        @Nullable ModelConstraints constraints,
        @Nullable ModelVisionEncoder sight)
        implements Reasoner {
    private static final int HASH_SHOWN = 12;

    /**
     * Settings of the responses.
     *
     * @param maxNew maximum tokens of a response
     * @param batchSize prompts decoded together
     * @param dtype of the computation
     * @param constrained whether to constrain responses to the grammar and the candidates
     * @param sampling null for greedy decoding
     */
    public record Settings(
            int maxNew, int batchSize, Precision dtype, boolean constrained, @Nullable SeededSampling sampling) {
        public Settings {
            Rule.require(maxNew >= 1, "max-new", maxNew, "at least 1");
            Rule.require(batchSize >= 1, "batch-size", batchSize, "at least 1");
        }

        private GenerationSettings generation(List<Integer> endTokens) {
            SamplingParams params = new SamplingParams(
                    maxNew, sampling == null ? null : sampling.sampling(), 1, StoppingCriteria.at(endTokens), false);
            return new GenerationSettings(params, batchSize);
        }
    }

    /**
     * Loads a trained model.
     *
     * @param model its Hugging Face directory, with prpf.json
     * @throws PrpfException 65 or 78 if its training prompts are unknown or differ; 69 without files; 2 if the settings are too short for
     *     any constrained response
     */
    public static LocalReasoner open(Path model, ScenarioCatalog catalog, ScreenTexts screens, Settings settings) {
        return Closing.ifRefused(PromptedModel.open(model).seeing(screens.images(), settings.dtype(), null), policy -> {
            List<Integer> end = policy.directory().generationDefaults().endTokens();
            return Closing.ifRefused(policy.directory().decoder(settings.dtype()), decoder -> {
                PromptProvenance provenance = policy.provenance();
                LocalReasoner reasoner = new LocalReasoner(
                        "local:" + model.getFileName() + ":"
                                + provenance.promptHash().substring(0, HASH_SHOWN),
                        new PromptRenderer(provenance.prompt(), catalog, screens),
                        policy.chat(),
                        decoder,
                        settings.generation(end),
                        settings.sampling(),
                        settings.constrained() ? new ModelConstraints(policy.tokenizer(), end) : null,
                        policy.sight());
                reasoner.requireRoom(settings.maxNew());
                return reasoner;
            });
        });
    }

    ReasonerDialogue dialogue() {
        int positions = decoder.config().maxPositions();
        return new ReasonerDialogue(
                renderer, chat, constraints, decoder.config().vocabularySize(), positions);
    }

    @Override
    public List<Reasoning> reason(List<Request> requests, Runnable answered) {
        return reason(requests, answered, ImageParts.mostBytes());
    }

    /** @param mostBytes of images' features in a part of the requests */
    List<Reasoning> reason(List<Request> requests, Runnable answered, long mostBytes) {
        ReasonerDialogue dialogue = dialogue();
        int room = dialogue.room();
        List<Reasoning> reasonings = new ArrayList<>();
        ImageParts.forEach(
                requests.stream().map(request -> ask(dialogue, room, request)),
                Asked::bytes,
                mostBytes,
                settings.batchSize(),
                part -> reasonings.addAll(answers(dialogue, part, answered)));
        return List.copyOf(reasonings);
    }

    /** A request with its prompt, or the result of a too long prompt; one of the two is null. */
    private record Asked(Request request, ReasonerDialogue.@Nullable Encoded encoded, @Nullable Reasoning refused) {
        long bytes() {
            return encoded == null ? 0 : encoded.prompt().images().bytes();
        }
    }

    private static Asked ask(ReasonerDialogue dialogue, int room, Request request) {
        ReasonerDialogue.Draft draft = dialogue.draft(request);
        String tooLong = ReasonerDialogue.tooLong(draft, room);
        return tooLong == null
                ? new Asked(request, dialogue.see(draft), null)
                : new Asked(request, null, dialogue.refused(request, draft, tooLong));
    }

    private List<Reasoning> answers(ReasonerDialogue dialogue, List<Asked> part, Runnable answered) {
        List<GenerationRequest> generating = part.stream()
                .flatMap(asked -> Stream.ofNullable(asked.encoded())
                        .map(encoded -> generation(dialogue, asked.request(), encoded.prompt())))
                .toList();
        Iterator<Generation> written = new Generator(decoder)
                .generate(generating, settings.batchSize(), () -> false)
                .iterator();
        List<Reasoning> reasonings = new ArrayList<>();
        for (Asked asked : part) {
            reasonings.add(
                    asked.encoded() == null
                            ? Objects.requireNonNull(asked.refused())
                            : dialogue.reasoning(asked.request(), asked.encoded(), written.next()));
            answered.run();
        }
        return reasonings;
    }

    private GenerationRequest generation(ReasonerDialogue dialogue, Request request, Prompt prompt) {
        long seed = sampling == null ? 0 : sampling.seedOf(request.sample().id());
        return new GenerationRequest(prompt, settings.params(), seed, dialogue.constraint(request));
    }

    private void requireRoom(int maxNew) {
        int shortest = dialogue().shortest();
        if (shortest > maxNew) {
            throw new UsageException("--max-new = " + maxNew + ": the shortest response has " + shortest
                    + " tokens, its end among them; give it at least as many");
        }
    }

    @Override
    public void close() {
        if (sight != null) {
            sight.close();
        }
        decoder.close();
        chat.close();
    }

    /**
     * The sampling of responses. A sample's draws depend only on seed and id. Resumed, sharded or in another batch it gets the same response, except that
     * the last bits of the logits may change a draw.
     *
     * @param temperature divides the logits, above 0
     * @param topP keeps the likeliest tokens while those before them add up to less than this, in (0, 1]
     * @param seed of all draws
     */
    public record SeededSampling(double temperature, double topP, long seed) {
        public SeededSampling {
            boolean warm = temperature > 0 && Double.isFinite(temperature);
            Rule.require(warm, "temperature", temperature, "at least 0; 0 is greedy");
            Rule.require(topP > 0 && topP <= 1, "top-p", topP, "in (0, 1]");
        }

        Sampling sampling() {
            return new Sampling(temperature, 0, topP);
        }

        /** Returns the seed of a sample's draws. */
        long seedOf(String id) {
            return GenerationRequest.seedsOf(seed + "\u0000" + id, 1).get(0);
        }
    }
}
