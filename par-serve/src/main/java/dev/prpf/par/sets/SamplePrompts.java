package dev.prpf.par.sets;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.mpp.CandidatePool;
import dev.prpf.mpp.Perception;
import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.prompt.PromptRenderer;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.response.ResponseForm.ReasoningMode;
import dev.prpf.par.response.ResponseWriter;
import dev.prpf.par.sets.SamplePrompts.CandidateSettings.OutOfPool;
import dev.prpf.par.teacher.Teacher.RationaleRequest;
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

/** Writes the training prompts of labelled samples. */
public record SamplePrompts(
        FunctionPool pool, ScenarioCatalog catalog, PromptRenderer renderer, CandidateSettings settings) {
    /** Makes the prompt for the sample's first valid answer, see {@link #of(PerceivedSample, Recommendation)}. */
    @Nullable
    SamplePrompt of(PerceivedSample perceived) {
        return of(perceived, UnaryOperator.identity());
    }

    /** Makes the prompt for the first valid answer, with changed candidates. */
    @Nullable
    SamplePrompt of(PerceivedSample perceived, UnaryOperator<CandidatePool> change) {
        require(perceived);
        return of(perceived, perceived.sample().target(), change);
    }

    /**
     * Makes the prompt of a sample.
     *
     * @param target must be among the candidates; null for silence
     * @return null for a target outside of the candidates, if such samples are omitted
     * @throws PrpfException 65 for an unlabelled sample or a target with unknown functions; 78 for predicted scenes without a perceiver
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
            throw new InvalidDataException(
                    "sample " + perceived.sample().id() + " is unlabelled; training needs samples with answers");
        }
        if (renderer.settings().scenes() && settings.shortlist() != null && perceived.perception() == null) {
            throw new InvalidConfigurationException("prompt.scenes = true, but no perceiver ran over the samples;"
                    + " name one with --gate or set prompt.scenes to false");
        }
    }

    /**
     * Chooses the candidate pool of a training prompt: the perceiver's top K scenarios. Without a perceiver it has the target's scenarios and
     * random others; without K it is the whole pool.
     *
     * <p>A target's scenario outside of the top K replaces the least probable other one, or the prompt is omitted ({@link OutOfPool}). With
     * its own low probability, or always last, it would reveal the answer. So the prompt keeps the probabilities of the perceiver's top K.
     * The added scenario gets a rank drawn with these probabilities as weights, and later scenarios move down a rank. At every rank the
     * target's scenario is then as frequent as its probability says, as with a calibrated perceiver.
     */
    record Candidates(FunctionPool pool, ScenarioCatalog catalog, CandidateSettings settings) {
        /**
         * The scenarios and functions of a prompt.
         *
         * @param perception with the probabilities of the prompt; null without a perceiver
         */
        record Shown(@Nullable Perception perception, CandidatePool pool) {}

        /**
         * Chooses the candidates of a sample.
         *
         * @param target null for silence
         * @return null if the prompt is omitted because of its target
         */
        @Nullable
        Shown of(PerceivedSample perceived, @Nullable Recommendation target) {
            Sample sample = perceived.sample();
            Perception perception = perceived.perception();
            Integer shortlist = settings.shortlist();
            requireInPool(sample, target);
            if (shortlist == null) {
                return new Shown(perception, CandidatePool.whole(pool));
            }
            Set<String> gold = scenarios(sample, target);
            if (perception == null) {
                return new Shown(null, candidates(withRandomOthers(sample, gold, shortlist)));
            }
            List<String> shown = new ArrayList<>(perception.top(shortlist));
            if (shown.containsAll(gold)) {
                return new Shown(perception, candidates(shown));
            }
            return settings.outOfPool() == OutOfPool.DROP ? null : added(sample, perception, shown, gold, shortlist);
        }

        private CandidatePool candidates(List<String> scenarios) {
            return new CandidatePool(scenarios, catalog.functionsOf(new LinkedHashSet<>(scenarios), pool));
        }

        /** @param shown the perceived scenarios by rank; the target's missing scenarios are added */
        private Shown added(Sample sample, Perception perception, List<String> shown, Set<String> gold, int shortlist) {
            List<String> missing = new ArrayList<>(gold);
            missing.removeAll(shown);
            for (int i = shown.size() - 1; i >= 0 && shown.size() + missing.size() > shortlist; i--) {
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

        /** Returns the scenarios in catalogue order. */
        private List<String> withRandomOthers(Sample sample, Set<String> gold, int shortlist) {
            List<String> others = new ArrayList<>(catalog.names());
            Collections.shuffle(
                    others, new Random(settings.seed() * 31 + sample.id().hashCode()));
            others.removeAll(gold);
            Set<String> chosen = new LinkedHashSet<>(gold);
            others.stream().limit(Math.max(0, shortlist - gold.size())).forEach(chosen::add);
            return catalog.names().stream().filter(chosen::contains).toList();
        }
    }

    /**
     * The prompt of a sample as text, with its training target.
     *
     * @param sample the part of the sample in the prompt
     * @param target null for silence
     * @param candidates with the functions in the prompt
     * @param user the user turn
     */
    record SamplePrompt(
            Sample sample,
            @Nullable Recommendation target,
            CandidatePool candidates,
            List<Piece> user,
            PromptRenderer renderer) {
        /** Converts the prompt to tokens, with all valid answers of the sample. */
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

        /** Returns the request for a rationale; null for silence (PRPF A.3) and for {@link ReasoningMode}s without one. */
        @Nullable
        RationaleRequest request() {
            return target == null || !renderer.settings().reasoning().reasons()
                    ? null
                    : new RationaleRequest(sample, target, candidates);
        }

        ParResponse.Parsed plain() {
            return new ParResponse.Parsed(null, null, null, target == null ? List.of() : List.of(target));
        }

        /**
         * Writes a response in the form of the prompt.
         *
         * @throws PrpfException 65 if that is impossible for the sample's answer
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
         * Makes the record of an SFT set.
         *
         * @param teacher author of the response's rationale, or null
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

    /**
     * A labelled sample with the perceiver's prediction.
     *
     * @param perception null without a perceiver
     */
    public record PerceivedSample(Sample sample, @Nullable Perception perception) {
        /** Wraps samples without a perception. */
        public static List<PerceivedSample> without(List<Sample> samples) {
            return samples.stream()
                    .map(sample -> new PerceivedSample(sample, null))
                    .toList();
        }
    }

    /** Settings for the candidate functions of training prompts, which are those of some scenarios. */
    public interface CandidateSettings {
        /** Returns the number of scenarios, at least 1 (PRPF §3.3: 5); null for the whole pool. */
        @Nullable
        Integer shortlist();

        /** Returns the treatment of targets outside of the perceived scenarios. */
        OutOfPool outOfPool();

        /** Returns the seed for the other scenarios without a perceiver, and for the ranks of added scenarios. */
        long seed();

        /** Treatment of training records with a target outside of the perceived scenarios. */
        enum OutOfPool {
            /** The target's scenarios replace the least probable ones, so that every target can be chosen. */
            ADD,
            /** The record is omitted and counted, so that pools are those of inference. */
            DROP
        }
    }
}
