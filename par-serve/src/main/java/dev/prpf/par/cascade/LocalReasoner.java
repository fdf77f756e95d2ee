package dev.prpf.par.cascade;

import dev.prpf.base.config.Rule;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UsageException;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.constraint.ModelConstraints;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.PictureInputs;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.generate.Generation;
import dev.prpf.par.generate.GenerationRequest;
import dev.prpf.par.generate.GenerationSettings;
import dev.prpf.par.generate.Generator;
import dev.prpf.par.generate.SamplingParams;
import dev.prpf.par.generate.StoppingCriteria;
import dev.prpf.par.prompt.PromptProvenance;
import dev.prpf.par.prompt.PromptRenderer;
import dev.prpf.par.prompt.ScreenTexts;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A reasoner in this process: prompts as its model was trained on, several at a time.
 *
 * @param chat tokenizer and chat template of the model, closed with the reasoner
 * @param decoder of the model, closed with the reasoner
 * @param sampling null for the likeliest token at every step
 * @param constraints null where responses are free
 * @param sight what the model sees with, closed with the reasoner; null where its prompts show no pictures
 */
public record LocalReasoner(
        String id,
        PromptRenderer renderer,
        ChatTokenizer chat,
        CausalLm decoder,
        GenerationSettings settings,
        @Nullable SeededSampling sampling,
        @Nullable ModelConstraints constraints,
        @Nullable Sight sight)
        implements Reasoner {
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
        Policy policy = Policy.open(model).seeing(screens.images(), settings.dtype(), null);
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
                    settings.constrained() ? new ModelConstraints(policy.tokenizer(), end) : null,
                    policy.sight());
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

    ReasonerDialogue dialogue() {
        int positions = decoder.config().maxPositions();
        return new ReasonerDialogue(
                renderer, chat, constraints, decoder.config().vocabularySize(), positions);
    }

    @Override
    public List<Reasoning> reason(List<Request> requests, Runnable answered) {
        return reason(requests, answered, PictureInputs.mostBytes());
    }

    /** @param mostBytes of pictures' features that are enough for a part of the requests */
    List<Reasoning> reason(List<Request> requests, Runnable answered, long mostBytes) {
        List<Reasoning> reasonings = new ArrayList<>();
        while (reasonings.size() < requests.size()) {
            reasonings.addAll(first(requests.subList(reasonings.size(), requests.size()), answered, mostBytes));
        }
        return List.copyOf(reasonings);
    }

    /** Answers the first requests: all, or as many as have features of so many bytes. */
    private List<Reasoning> first(List<Request> requests, Runnable answered, long mostBytes) {
        ReasonerDialogue dialogue = dialogue();
        int room = dialogue.room();
        Reasoning[] reasonings = new Reasoning[requests.size()];
        List<Integer> fitting = new ArrayList<>();
        List<ReasonerDialogue.Prompt> prompts = new ArrayList<>();
        List<GenerationRequest> generating = new ArrayList<>();
        long bytes = 0;
        int taken = 0;
        for (int i = 0; i < requests.size(); i++) {
            Request request = requests.get(i);
            ReasonerDialogue.Draft draft = dialogue.draft(request);
            String tooLong = ReasonerDialogue.tooLong(draft, room);
            if (tooLong != null) {
                reasonings[i] = dialogue.refused(request, draft, tooLong);
                answered.run();
            } else {
                ReasonerDialogue.Prompt prompt = dialogue.see(draft);
                fitting.add(i);
                prompts.add(prompt);
                long seed =
                        sampling == null ? 0 : sampling.seedOf(request.sample().id());
                generating.add(new GenerationRequest(
                        prompt.ids(), List.of(seed), dialogue.constraint(request), prompt.pictures()));
                bytes += prompt.pictures().bytes();
            }
            taken = i + 1;
            if (bytes >= mostBytes) {
                break;
            }
        }
        List<List<Generation>> generations = new Generator(decoder).sample(generating, settings, () -> false);
        for (int k = 0; k < fitting.size(); k++) {
            int i = fitting.get(k);
            reasonings[i] = dialogue.reasoning(
                    requests.get(i), prompts.get(k), generations.get(k).get(0));
            answered.run();
        }
        return Arrays.asList(reasonings).subList(0, taken);
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
}
