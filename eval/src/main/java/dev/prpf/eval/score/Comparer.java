package dev.prpf.eval.score;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.par.cascade.Prediction;
import dev.prpf.par.response.ReasoningMode;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.reward.StructuredReward;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Compares two sets of predictions of the same samples: the figures of {@link Scorer}, malformed responses and the reward. */
public final class Comparer {
    private static final double PERCENT = 100;

    private final Scorer scorer;
    private final StructuredReward reward;
    private final ReasoningMode reasoning;
    private final Bootstrap bootstrap;

    /**
     * @param judge of functional equivalence
     * @param reward of the responses
     * @param reasoning what responses were asked to carry; decides which are malformed to the reward
     * @param bootstrap makes the intervals
     */
    public Comparer(Judge judge, StructuredReward reward, ReasoningMode reasoning, Bootstrap bootstrap) {
        scorer = new Scorer(null, judge, new Bootstrap(1, bootstrap.seed(), bootstrap.level()));
        this.reward = reward;
        this.reasoning = reasoning;
        this.bootstrap = bootstrap;
    }

    /**
     * Compares.
     *
     * @param before by the sample's id, exactly one a sample
     * @param after the same of others
     * @throws PrpfException 65 when gold and predictions do not fit
     */
    public Comparison compare(
            List<Sample> gold, FunctionPool pool, Map<String, Prediction> before, Map<String, Prediction> after) {
        List<SampleScore> first = scorer.score(gold, before, pool).samples();
        List<SampleScore> second = scorer.score(gold, after, pool).samples();
        Map<String, Comparison.@Nullable Row> rows = new LinkedHashMap<>();
        PairedValues rewards = new PairedValues();
        for (Sample sample : gold) {
            rewards.add(reward(sample, before), reward(sample, after));
        }
        rows.put("reward", rewards.row(bootstrap));
        for (Figure figure : Comparison.FIGURES) {
            PairedValues values = new PairedValues();
            for (int i = 0; i < first.size(); i++) {
                if (figure.counts(first.get(i))) {
                    values.add(PERCENT * figure.value(first.get(i)), PERCENT * figure.value(second.get(i)));
                }
            }
            rows.put(figure.key(), values.row(bootstrap));
        }
        PairedValues malformed = new PairedValues();
        for (int i = 0; i < first.size(); i++) {
            malformed.add(first.get(i).malformed() ? PERCENT : 0, second.get(i).malformed() ? PERCENT : 0);
        }
        rows.put("malformed", malformed.row(bootstrap));
        return new Comparison(gold.size(), bootstrap, rows);
    }

    /** A prediction without a text is rewarded by its calls. */
    private double reward(Sample sample, Map<String, Prediction> predictions) {
        Prediction prediction = Objects.requireNonNull(predictions.get(sample.id()), sample.id());
        if (prediction.response() != null) {
            return reward.score(sample, prediction.response(), ResponseForm.of(reasoning, sample.modality()))
                    .total();
        }
        List<FunctionCall> calls = prediction.scored();
        if (calls == null) {
            throw new InvalidDataException("prediction " + sample.id()
                    + " is malformed and has no response, so its reward is not known; predict again with responses");
        }
        return reward.score(sample, calls).total();
    }
}
