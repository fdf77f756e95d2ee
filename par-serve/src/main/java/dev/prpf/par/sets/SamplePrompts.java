package dev.prpf.par.sets;

import dev.prpf.base.error.InvalidConfigurationException;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.TraceStep;
import dev.prpf.mpp.CandidatePool;
import dev.prpf.mpp.Perception;
import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.prompt.PromptRenderer;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.ReasoningMode;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.response.ResponseWriter;
import dev.prpf.par.teacher.RationaleRequest;
import dev.prpf.par.tokenizer.Piece;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Writes the prompts that training shows of labelled samples. */
public record SamplePrompts(
        FunctionPool pool, ScenarioCatalog catalog, PromptRenderer renderer, CandidateSettings settings) {
    /** The prompt of a sample with its own target, the first valid answer; else as {@link #of(PerceivedSample, Recommendation)}. */
    @Nullable
    SamplePrompt of(PerceivedSample perceived) {
        return of(perceived, UnaryOperator.identity());
    }

    /** The same with a change of the candidates before they are written. */
    @Nullable
    SamplePrompt of(PerceivedSample perceived, UnaryOperator<CandidatePool> change) {
        require(perceived);
        return of(perceived, perceived.sample().target(), change);
    }

    /**
     * The prompt of a sample.
     *
     * @param target that must be among the candidates; null is silence
     * @return null where the target is not among the candidates and such samples are left out
     * @throws PrpfException 65 for an unlabelled sample or a target that calls what pool or scenarios lack; 78 if the prompt shows predicted
     *     scenes but no perceiver ran
     */
    @Nullable
    SamplePrompt of(PerceivedSample perceived, @Nullable Recommendation target) {
        require(perceived);
        return of(perceived, target, UnaryOperator.identity());
    }

    private @Nullable SamplePrompt of(
            PerceivedSample perceived, @Nullable Recommendation target, UnaryOperator<CandidatePool> change) {
        Candidates.Shown shown = new Candidates(pool, catalog, settings).of(perceived, target);
        if (shown == null) {
            return null;
        }
        Sample sample = renderer.shown(perceived.sample());
        CandidatePool pool = change.apply(shown.pool());
        return new SamplePrompt(sample, target, pool, renderer.user(sample, shown.perception(), pool), renderer);
    }

    private void require(PerceivedSample perceived) {
        if (!perceived.sample().labelled()) {
            throw new InvalidDataException("sample " + perceived.sample().id()
                    + " is unlabelled, so there is nothing to learn from it; training takes samples with answers");
        }
        if (renderer.settings().scenes() && settings.topK() != null && perceived.perception() == null) {
            throw new InvalidConfigurationException("prompt.scenes = true, but no perceiver ran over the samples;"
                    + " name one with --mpp or set prompt.scenes to false");
        }
    }

    /**
     * The candidate pool of a training prompt: the perceiver's top K scenarios; without a perceiver the target's and random others; the whole
     * pool where the settings name no K.
     *
     * <p>A scenario of the target that is not among the perceived ones is added (or the prompt left out, {@link OutOfPool}), and the least
     * probable other one goes. At its own low probability, or always last, it would stand out and give the answer away. So the probabilities
     * shown stay those of the perceiver's top K; the added scenario takes a rank among them, drawn with those probabilities as weights, and the
     * scenarios behind it move down a rank. At every rank the target's scenario is then found as often as the probability shown there says, as
     * with a calibrated perceiver that has it in its top K.
     */
    record Candidates(FunctionPool pool, ScenarioCatalog catalog, CandidateSettings settings) {
        /**
         * What a prompt shows.
         *
         * @param perception with the probabilities as shown; null where no perceiver ran
         */
        record Shown(@Nullable Perception perception, CandidatePool pool) {}

        /**
         * Chooses the candidates.
         *
         * @param target null is silence
         * @return null where the target cannot be reached and the prompt is to be left out
         */
        @Nullable
        Shown of(PerceivedSample perceived, @Nullable Recommendation target) {
            Sample sample = perceived.sample();
            Perception perception = perceived.perception();
            Integer topK = settings.topK();
            requireInPool(sample, target);
            if (topK == null) {
                return new Shown(perception, CandidatePool.whole(pool));
            }
            Set<String> gold = scenarios(sample, target);
            if (perception == null) {
                return new Shown(null, candidates(withRandomOthers(sample, gold, topK)));
            }
            List<String> shown = new ArrayList<>(perception.top(topK));
            if (shown.containsAll(gold)) {
                return new Shown(perception, candidates(shown));
            }
            return settings.outOfPool() == OutOfPool.DROP ? null : added(sample, perception, shown, gold, topK);
        }

        private CandidatePool candidates(List<String> scenarios) {
            return new CandidatePool(scenarios, catalog.functionsOf(new LinkedHashSet<>(scenarios), pool));
        }

        /** @param shown the perceived scenarios by rank; those of the target that it lacks are added */
        private Shown added(Sample sample, Perception perception, List<String> shown, Set<String> gold, int topK) {
            List<String> missing = new ArrayList<>(gold);
            missing.removeAll(shown);
            for (int i = shown.size() - 1; i >= 0 && shown.size() + missing.size() > topK; i--) {
                if (!gold.contains(shown.get(i))) {
                    shown.remove(i);
                }
            }
            List<Double> probabilities = perception.top(perception.scenarios().size()).stream()
                    .limit(shown.size() + missing.size())
                    .map(scenario ->
                            Objects.requireNonNull(perception.scenarios().get(scenario)))
                    .toList();
            RandomGenerator random = new SplittableRandom(
                    settings.seed() * 1_000_003L + sample.id().hashCode());
            missing.forEach(scenario -> shown.add(draw(probabilities.subList(0, shown.size() + 1), random), scenario));
            Map<String, Double> asShown = new LinkedHashMap<>(perception.scenarios());
            for (int rank = 0; rank < shown.size(); rank++) {
                asShown.put(shown.get(rank), probabilities.get(rank));
            }
            return new Shown(new Perception(perception.pTrigger(), asShown), candidates(shown));
        }

        /** A place, drawn with these weights. */
        private static int draw(List<Double> weights, RandomGenerator random) {
            double left = random.nextDouble()
                    * weights.stream().mapToDouble(Double::doubleValue).sum();
            for (int i = 0; i < weights.size(); i++) {
                left -= weights.get(i);
                if (left < 0) {
                    return i;
                }
            }
            return weights.size() - 1;
        }

        private void requireInPool(Sample sample, @Nullable Recommendation target) {
            for (String name : names(target)) {
                if (!pool.contains(name)) {
                    throw unknown(sample, name, "the pool does not have");
                }
            }
        }

        private Set<String> scenarios(Sample sample, @Nullable Recommendation target) {
            Set<String> scenarios = new LinkedHashSet<>();
            for (String name : names(target)) {
                String scenario = catalog.scenarioOf(name);
                if (scenario == null) {
                    throw unknown(sample, name, "the scenario file maps to no scenario");
                }
                scenarios.add(scenario);
            }
            return scenarios;
        }

        private static List<String> names(@Nullable Recommendation target) {
            return target == null ? List.of() : target.names();
        }

        private static InvalidDataException unknown(Sample sample, String name, String why) {
            return new InvalidDataException("sample " + sample.id() + ": its answer calls " + name + ", which " + why
                    + "; check the data with `prpf data validate`");
        }

        /** In catalogue order. */
        private List<String> withRandomOthers(Sample sample, Set<String> gold, int topK) {
            List<String> others = new ArrayList<>(catalog.names());
            Collections.shuffle(
                    others, new Random(settings.seed() * 31 + sample.id().hashCode()));
            others.removeAll(gold);
            Set<String> chosen = new LinkedHashSet<>(gold);
            others.stream().limit(Math.max(0, topK - gold.size())).forEach(chosen::add);
            return catalog.names().stream().filter(chosen::contains).toList();
        }
    }

    /**
     * The prompt of a sample as text, and the target that is learned from it.
     *
     * @param sample as the prompt shows it
     * @param target null is silence
     * @param candidates whose functions the prompt shows
     * @param user the user turn
     * @param renderer that wrote it
     */
    record SamplePrompt(
            Sample sample,
            @Nullable Recommendation target,
            CandidatePool candidates,
            List<Piece> user,
            PromptRenderer renderer) {
        /** As tokens, with all valid answers of the sample. */
        PromptExample example(ChatTokenizer tokenizer) {
            return new PromptExample(
                    sample.id(),
                    tokenizer.prompt(
                            renderer.system(), user, sample.trajectory().screenshots(), sample.id()),
                    sample.validSequences(),
                    form(),
                    candidates.functions());
        }

        private ResponseForm form() {
            return ResponseForm.of(renderer.settings().reasoning(), sample.modality());
        }

        /** For the rationale of the response; null where it has none: silence has none (PRPF A.3), nor have all {@link ReasoningMode}s. */
        @Nullable
        RationaleRequest request() {
            return target == null || !renderer.settings().reasoning().reasons()
                    ? null
                    : new RationaleRequest(sample, target, candidates);
        }

        /** The response without a rationale. */
        ParResponse.Parsed plain() {
            return new ParResponse.Parsed(null, null, null, target == null ? List.of() : List.of(target));
        }

        /**
         * A response's text in the form that the prompt asks for.
         *
         * @throws PrpfException 65 if the sample's answer cannot be written so
         */
        List<Piece> written(ParResponse.Parsed response) {
            try {
                return ResponseWriter.pieces(response, form());
            } catch (IllegalArgumentException e) {
                throw new InvalidDataException(
                        "sample " + sample.id() + ": its answer cannot be written as a response: " + e.getMessage());
            }
        }

        /**
         * As a line of an SFT set.
         *
         * @param teacher who wrote the response's rationale, or null
         * @param wording of the prompts ({@link SftRecord#wordingOf})
         */
        SftRecord record(ParResponse.Parsed response, @Nullable String teacher, String wording) {
            return new SftRecord(
                    sample.id(),
                    target != null,
                    sample.modality().label(),
                    renderer.settings(),
                    wording,
                    teacher,
                    candidates.functions().stream().map(FunctionSpec::name).toList(),
                    renderer.system(),
                    user,
                    written(response),
                    sample.trajectory().screenshots().stream()
                            .map(TraceStep.Screenshot::path)
                            .toList());
        }
    }
}
