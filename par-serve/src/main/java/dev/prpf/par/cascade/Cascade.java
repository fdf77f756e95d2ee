package dev.prpf.par.cascade;

import dev.prpf.base.config.Rule;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.Trajectory;
import dev.prpf.mpp.CandidatePool;
import dev.prpf.mpp.Perceiver;
import dev.prpf.mpp.Perception;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Perceive before reasoning (PRPF §3.2): the gate keeps what needs no help from the reasoner, the pool shrinks to the likely scenarios.
 * Where the perceiver's answer could not be used, the gate makes the prediction malformed; without the gate the reasoner works as without a
 * perceiver. Perceiver and reasoner stay the caller's to close.
 *
 * @param perceiver may be null where neither the gate nor the compression is on
 */
public record Cascade(
        @Nullable Perceiver perceiver,
        Reasoner reasoner,
        FunctionPool pool,
        ScenarioCatalog catalog,
        Settings settings) {
    public Cascade {
        if (perceiver == null && settings.perceives()) {
            throw new IllegalArgumentException("gate and compress need a perceiver; settings = " + settings);
        }
    }

    /**
     * One prediction a sample, in order.
     *
     * @param predicted runs once a sample as soon as its prediction is certain, in any order, one at a time
     */
    public List<Prediction> predict(List<Sample> samples, Runnable predicted) {
        return reason(samples, perceive(samples), predicted);
    }

    /** The first half of {@link #predict}: one perception a sample, in order; null where there is no perceiver. */
    public @Nullable List<Perceiver.Costed> perceive(List<Sample> samples) {
        return perceiver == null
                ? null
                : perceiver.perceiveCosted(
                        samples.stream().map(settings::perceived).toList());
    }

    /** The second half of {@link #predict}. */
    public List<Prediction> reason(
            List<Sample> samples, @Nullable List<Perceiver.Costed> perceptions, Runnable predicted) {
        Prediction[] predictions = new Prediction[samples.size()];
        Map<Integer, PredictionCost> passed = new LinkedHashMap<>();
        List<Reasoner.Request> requests = new ArrayList<>();
        for (int i = 0; i < samples.size(); i++) {
            Perceiver.Costed perceived = perceptions == null ? null : perceptions.get(i);
            Decision decision = settings.decide(perceived, pool, catalog);
            if (perceived != null && !decision.passes()) {
                predictions[i] = Prediction.silent(samples.get(i).id(), perceived);
                predicted.run();
            } else {
                passed.put(i, decision.cost());
                requests.add(new Reasoner.Request(
                        settings.shown(samples.get(i)), decision.perception(), decision.candidates()));
            }
        }
        List<Reasoner.Reasoning> reasonings = requests.isEmpty() ? List.of() : reasoner.reason(requests, predicted);
        int k = 0;
        for (Map.Entry<Integer, PredictionCost> one : passed.entrySet()) {
            Reasoner.Request request = requests.get(k);
            Reasoner.Reasoning reasoning = reasonings.get(k++);
            predictions[one.getKey()] = Prediction.reasoned(
                    request.sample().id(),
                    request.perception(),
                    reasoning,
                    one.getValue().plus(reasoning.cost()));
        }
        return List.of(predictions);
    }

    /**
     * The decision about one sample before anybody reasons.
     *
     * @param perception null without a perceiver, or if its answer cannot be used
     * @param passes whether the reasoner runs
     * @param candidates functions that the reasoner sees
     * @param cost of the perception
     */
    public record Decision(
            @Nullable Perception perception, boolean passes, CandidatePool candidates, PredictionCost cost) {}

    /**
     * The stages of the cascade that are on; with both off, "w/o MPP" of PRPF Table 2.
     *
     * @param gate whether samples under the threshold stay silent without the reasoner
     * @param compress whether the reasoner sees the functions of the top-K scenarios only
     * @param topK K (PRPF §3.3: 5)
     * @param threshold τ: a sample passes iff its p_trigger is at least that
     * @param without what neither perceiver nor reasoner sees
     */
    public record Settings(boolean gate, boolean compress, int topK, double threshold, List<ContextDimension> without) {
        public Settings {
            without = without.stream().distinct().sorted().toList();
            Rule.require(topK >= 1, "top-k", topK, "at least 1");
            Rule.require(threshold >= 0 && threshold <= 1, "threshold", threshold, "in [0, 1]");
        }

        /** With every dimension. */
        public Settings(boolean gate, boolean compress, int topK, double threshold) {
            this(gate, compress, topK, threshold, List.of());
        }

        /** Whether the trajectory is read. */
        public boolean readsTrace() {
            return !without.contains(ContextDimension.TRACE);
        }

        /** Decides about one sample: the gate opens at τ, and the pool shrinks to the top-K scenarios. */
        public Decision decide(Perceiver.@Nullable Costed perceived, FunctionPool pool, ScenarioCatalog catalog) {
            Perception perception = perceived == null ? null : perceived.usable();
            return new Decision(
                    perception,
                    !gate || perceived == null || (perception != null && perception.triggers(threshold)),
                    compress && perception != null
                            ? CandidatePool.ofTop(topK, perception, pool, catalog)
                            : CandidatePool.whole(pool),
                    perceived == null ? PredictionCost.NOTHING : PredictionCost.of(perceived.cost()));
        }

        private Sample shown(Sample sample) {
            Sample shown = sample;
            for (ContextDimension dimension : without) {
                shown = dimension.removedFrom(shown);
            }
            return shown;
        }

        /** As shown; since a perceiver reads one step at least, an absent trajectory is one blank text. */
        private Sample perceived(Sample sample) {
            Sample shown = shown(sample);
            return readsTrace() ? shown : shown.with(shown.context(), Trajectory.BLANK, shown.answers());
        }

        /** Whether a perceiver is needed at all. */
        public boolean perceives() {
            return gate || compress;
        }
    }
}
