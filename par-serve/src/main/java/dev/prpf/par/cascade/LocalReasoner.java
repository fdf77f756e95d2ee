package dev.prpf.par.cascade;

import dev.prpf.base.config.Rule;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UsageException;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.encode.EncodingCost;
import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.constraint.ModelConstraints;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.generate.FinishReason;
import dev.prpf.par.generate.Generation;
import dev.prpf.par.generate.GenerationCost;
import dev.prpf.par.generate.GenerationRequest;
import dev.prpf.par.generate.GenerationSettings;
import dev.prpf.par.generate.Generator;
import dev.prpf.par.generate.SamplingParams;
import dev.prpf.par.generate.StoppingCriteria;
import dev.prpf.par.generate.TokenConstraint;
import dev.prpf.par.prompt.PromptProvenance;
import dev.prpf.par.prompt.PromptRenderer;
import dev.prpf.par.prompt.ScreenTexts;
import dev.prpf.par.response.GeneratedResponse;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.ResponseForm;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A reasoner in this process: prompts as its model was trained on, several at a time.
 *
 * @param chat tokenizer and chat template of the model, closed with the reasoner
 * @param decoder of the model, closed with the reasoner
 * @param sampling null for the likeliest token at every step
 * @param constraints null where responses are free
 */
public record LocalReasoner(
        String id,
        PromptRenderer renderer,
        ChatTokenizer chat,
        CausalLm decoder,
        GenerationSettings settings,
        @Nullable SeededSampling sampling,
        @Nullable ModelConstraints constraints)
        implements Reasoner {
    private static final Logger LOG = LoggerFactory.getLogger(LocalReasoner.class);
    private static final int HASH_SHOWN = 12;

    /**
     * How responses are written.
     *
     * @param maxNew tokens of a response at most
     * @param batchSize prompts decoded together
     * @param dtype of the computation
     * @param constrained whether responses are kept to the grammar and the candidates
     * @param sampling how tokens are drawn; null for the likeliest one at every step
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
     * @throws PrpfException 65 or 78 if the prompts it was trained on are not known or not these, 69 if parts are missing, 2 if no
     *     constrained response is as short as the settings ask
     */
    public static LocalReasoner open(Path model, ScenarioCatalog catalog, ScreenTexts screens, Settings settings) {
        Policy policy = Policy.open(model);
        CausalLm decoder = null;
        try {
            List<Integer> end = policy.directory().generationDefaults().endTokens();
            decoder = policy.directory().decoder(settings.dtype());
            PromptProvenance provenance = policy.provenance();
            LocalReasoner reasoner = new LocalReasoner(
                    "local:" + model.getFileName() + ":"
                            + provenance.promptHash().substring(0, HASH_SHOWN),
                    new PromptRenderer(provenance.prompt(), catalog, screens),
                    policy.chat(),
                    decoder,
                    settings.generation(end),
                    settings.sampling(),
                    settings.constrained() ? new ModelConstraints(policy.tokenizer(), end) : null);
            reasoner.requireRoom(settings.maxNew());
            return reasoner;
        } catch (RuntimeException e) {
            policy.close();
            if (decoder != null) {
                decoder.close();
            }
            throw e;
        }
    }

    @Override
    public List<Reasoning> reason(List<Request> requests, Runnable answered) {
        Reasoning[] reasonings = new Reasoning[requests.size()];
        List<Integer> fitting = new ArrayList<>();
        List<Prompt> prompts = new ArrayList<>();
        List<GenerationRequest> generating = new ArrayList<>();
        int room = room();
        for (int i = 0; i < requests.size(); i++) {
            Request request = requests.get(i);
            Prompt prompt = prompt(request);
            if (prompt.ids().length > room) {
                reasonings[i] = tooLong(request, prompt, room);
                answered.run();
            } else {
                fitting.add(i);
                prompts.add(prompt);
                generating.add(generating(request, prompt));
            }
        }
        List<List<Generation>> generations = new Generator(decoder).sample(generating, settings, () -> false);
        for (int k = 0; k < fitting.size(); k++) {
            int i = fitting.get(k);
            reasonings[i] = reasoning(
                    requests.get(i), prompts.get(k), generations.get(k).get(0));
            answered.run();
        }
        return List.of(reasonings);
    }

    /** A prompt's tokens and what they took. */
    private record Prompt(long[] ids, PredictionCost.PromptCost cost) {}

    private Prompt prompt(Request request) {
        long[] nanos = new long[1];
        EncodingCost.Costed<long[]> made = EncodingCost.Costed.of(renderer.screens()::cost, () -> {
            long start = System.nanoTime();
            long[] ids = chat.prompt(
                    renderer.system(), renderer.user(request.sample(), request.perception(), request.candidates()));
            nanos[0] = System.nanoTime() - start;
            return ids;
        });
        double seconds = Math.max(0, nanos[0] / 1e9 - made.cost().seconds());
        return new Prompt(made.result(), new PredictionCost.PromptCost(seconds, made.cost()));
    }

    private void requireRoom(int maxNew) {
        int shortest = constraints == null ? 1 : shortest(constraints);
        if (shortest > maxNew) {
            throw new UsageException("--max-new = " + maxNew + ": the shortest response has " + shortest
                    + " tokens, its end among them; give it at least as many");
        }
    }

    private int shortest(ModelConstraints kept) {
        return kept.shortest(vocabulary(), renderer.settings().reasoning());
    }

    /** Longest prompt: the last new token needs no position. */
    private int room() {
        int needed = constraints == null ? 1 : shortest(constraints) - 1;
        return decoder.config().maxPositions() - needed;
    }

    private GenerationRequest generating(Request request, Prompt prompt) {
        long seed = sampling == null ? 0 : sampling.seedOf(request.sample().id());
        ModelConstraints kept = constraints;
        Supplier<TokenConstraint> constraint = kept == null
                ? null
                : () -> kept.of(
                        vocabulary(), form(request), request.candidates().functions());
        return new GenerationRequest(prompt.ids(), List.of(seed), constraint);
    }

    private int vocabulary() {
        return decoder.config().vocabularySize();
    }

    private ResponseForm form(Request request) {
        return ResponseForm.of(renderer.settings().reasoning(), request.sample().modality());
    }

    private Reasoning tooLong(Request request, Prompt prompt, int room) {
        int length = prompt.ids().length;
        String why = "the prompt has " + length + " tokens, the model takes " + room;
        LOG.warn("sample {}: {}; counted as malformed", request.sample().id(), why);
        PredictionCost cost = PredictionCost.of(length, 0, GenerationCost.NONE, prompt.cost());
        return new Reasoning("", new ParResponse.Malformed(0, why), null, cost);
    }

    private Reasoning reasoning(Request request, Prompt prompt, Generation generation) {
        GeneratedResponse response = GeneratedResponse.of(generation, chat.tokenizer(), form(request));
        if (response.finish() == FinishReason.LENGTH) {
            LOG.warn(
                    "sample {}: its response was cut off after {} tokens",
                    request.sample().id(),
                    response.length());
        }
        PredictionCost cost =
                PredictionCost.of(prompt.ids().length, response.length(), generation.cost(), prompt.cost());
        return new Reasoning(response.text(), response.parsed(), response.finish(), cost);
    }

    @Override
    public void close() {
        decoder.close();
        chat.close();
    }
}
