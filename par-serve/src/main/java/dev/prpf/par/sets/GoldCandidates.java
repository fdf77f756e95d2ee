package dev.prpf.par.sets;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.mpp.CandidatePool;
import dev.prpf.mpp.Perception;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The candidate pool of an example: the perceiver's top K scenarios; without a perceiver the gold answer's and random others. So that the
 * target's functions are there to choose, gold scenarios that are not among the perceived ones replace the least probable, or the example
 * is left out ({@link OutOfPool}).
 */
final class GoldCandidates {
    private final FunctionPool pool;
    private final ScenarioCatalog catalog;
    private final int topK;
    private final OutOfPool outOfPool;
    private final long seed;

    GoldCandidates(FunctionPool pool, ScenarioCatalog catalog, int topK, OutOfPool outOfPool, long seed) {
        this.pool = pool;
        this.catalog = catalog;
        this.topK = topK;
        this.outOfPool = outOfPool;
        this.seed = seed;
    }

    /** Null where the target cannot be reached and the example is to be left out. */
    @Nullable
    CandidatePool of(Sample sample, @Nullable Recommendation target, @Nullable Perception perception) {
        Set<String> gold = goldScenarios(sample, target);
        List<String> kept = new ArrayList<>(perception == null ? shuffled(sample) : perception.top(topK));
        if (perception != null && outOfPool == OutOfPool.DROP && !kept.containsAll(gold)) {
            return null;
        }
        gold.stream().filter(scenario -> !kept.contains(scenario)).forEach(kept::add);
        // From the end, for there stand the least probable; the gold ones stay.
        for (int i = kept.size() - 1; i >= 0 && kept.size() > Math.max(topK, gold.size()); i--) {
            if (!gold.contains(kept.get(i))) {
                kept.remove(i);
            }
        }
        List<FunctionSpec> functions = catalog.functionsOf(new LinkedHashSet<>(kept), pool);
        return new CandidatePool(
                perception == null ? inCatalogueOrder(kept) : byProbability(kept, perception), functions);
    }

    private Set<String> goldScenarios(Sample sample, @Nullable Recommendation target) {
        Set<String> gold = new LinkedHashSet<>();
        for (String name : target == null ? List.<String>of() : target.names()) {
            String scenario = catalog.scenarioOf(name);
            if (scenario == null || !pool.contains(name)) {
                throw new InvalidDataException("sample " + sample.id() + ": its answer calls " + name + ", which "
                        + (scenario == null ? "the scenario file maps to no scenario" : "the pool does not have")
                        + "; check the data with `prpf data validate`");
            }
            gold.add(scenario);
        }
        return gold;
    }

    private List<String> shuffled(Sample sample) {
        List<String> names = new ArrayList<>(catalog.names());
        Collections.shuffle(names, new Random(seed * 31 + sample.id().hashCode()));
        return names;
    }

    private List<String> inCatalogueOrder(List<String> scenarios) {
        return catalog.names().stream().filter(scenarios::contains).toList();
    }

    private static List<String> byProbability(List<String> scenarios, Perception perception) {
        return perception.top(perception.scenarios().size()).stream()
                .filter(scenarios::contains)
                .toList();
    }
}
