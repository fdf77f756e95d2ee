package dev.prpf.par.sets;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.mpp.CandidatePool;
import dev.prpf.mpp.Perception;
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
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The candidate pool of a training prompt: the perceiver's top K scenarios; without a perceiver the target's and random others.
 *
 * <p>A scenario of the target that is not among the perceived ones is added (or the prompt left out, {@link OutOfPool}), and the least
 * probable other one goes. At its own low probability, or always last, it would stand out and give the answer away. So the probabilities
 * shown stay those of the perceiver's top K; the added scenario takes a rank among them, drawn with those probabilities as weights, and the
 * scenarios behind it move down a rank. At every rank the target's scenario is then found as often as the probability shown there says, as
 * with a calibrated perceiver that has it in its top K.
 */
final class Candidates {
    private final FunctionPool pool;
    private final ScenarioCatalog catalog;
    private final CandidateSettings settings;

    /**
     * What a prompt shows.
     *
     * @param perception with the probabilities as shown; null where no perceiver ran
     */
    record Shown(@Nullable Perception perception, CandidatePool pool) {}

    Candidates(FunctionPool pool, ScenarioCatalog catalog, CandidateSettings settings) {
        this.pool = pool;
        this.catalog = catalog;
        this.settings = settings;
    }

    /**
     * Chooses the candidates.
     *
     * @param target null is silence
     * @return null where the target cannot be reached and the prompt is to be left out
     */
    @Nullable
    Shown of(PerceivedSample perceived, @Nullable Recommendation target) {
        Sample sample = perceived.sample();
        Set<String> gold = scenarios(sample, target);
        Perception perception = perceived.perception();
        if (perception == null) {
            return new Shown(null, candidates(withRandomOthers(sample, gold)));
        }
        List<String> shown = new ArrayList<>(perception.top(settings.topK()));
        List<String> missing = new ArrayList<>(gold);
        missing.removeAll(shown);
        if (missing.isEmpty()) {
            return new Shown(perception, candidates(shown));
        }
        return settings.outOfPool() == OutOfPool.DROP ? null : added(sample, perception, shown, gold);
    }

    private CandidatePool candidates(List<String> scenarios) {
        return new CandidatePool(scenarios, catalog.functionsOf(new LinkedHashSet<>(scenarios), pool));
    }

    /** @param shown the perceived scenarios by rank; those of the target that it lacks are added */
    private Shown added(Sample sample, Perception perception, List<String> shown, Set<String> gold) {
        List<String> missing = new ArrayList<>(gold);
        missing.removeAll(shown);
        for (int i = shown.size() - 1; i >= 0 && shown.size() + missing.size() > settings.topK(); i--) {
            if (!gold.contains(shown.get(i))) {
                shown.remove(i);
            }
        }
        List<Double> probabilities = perception.top(perception.scenarios().size()).stream()
                .limit(shown.size() + missing.size())
                .map(scenario -> Objects.requireNonNull(perception.scenarios().get(scenario)))
                .toList();
        RandomGenerator random =
                new SplittableRandom(settings.seed() * 1_000_003L + sample.id().hashCode());
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

    private Set<String> scenarios(Sample sample, @Nullable Recommendation target) {
        Set<String> scenarios = new LinkedHashSet<>();
        for (String name : target == null ? List.<String>of() : target.names()) {
            String scenario = catalog.scenarioOf(name);
            if (scenario == null || !pool.contains(name)) {
                throw new InvalidDataException("sample " + sample.id() + ": its answer calls " + name + ", which "
                        + (scenario == null ? "the scenario file maps to no scenario" : "the pool does not have")
                        + "; check the data with `prpf data validate`");
            }
            scenarios.add(scenario);
        }
        return scenarios;
    }

    /** In catalogue order. */
    private List<String> withRandomOthers(Sample sample, Set<String> gold) {
        List<String> others = new ArrayList<>(catalog.names());
        Collections.shuffle(
                others, new Random(settings.seed() * 31 + sample.id().hashCode()));
        others.removeAll(gold);
        Set<String> chosen = new LinkedHashSet<>(gold);
        others.stream().limit(Math.max(0, settings.topK() - gold.size())).forEach(chosen::add);
        return catalog.names().stream().filter(chosen::contains).toList();
    }
}
