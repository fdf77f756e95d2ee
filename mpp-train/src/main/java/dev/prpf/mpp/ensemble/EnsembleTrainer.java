package dev.prpf.mpp.ensemble;

import dev.prpf.mpp.ensemble.EnsembleModel.LinearMember;
import dev.prpf.mpp.ensemble.EnsembleModel.Member;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Trains an ensemble from scores of held-out folds.
 *
 * @param plans of the linear members
 * @param encoders ids of the text encoders, in order
 * @param scenarios names of the scenario outputs, in order
 */
public record EnsembleTrainer(List<MemberPlan> plans, List<String> encoders, List<String> scenarios) {
    /** Name of the member that is a network. */
    public static final String PERCEIVER = "perceiver";

    /**
     * The labelled training samples.
     *
     * @param acts whether each wants an intervention
     * @param scenarios multi-hot, shape (n, S)
     * @param groups equal for near-duplicates
     */
    public record Labelled(
            LinearInput input, boolean[] acts, boolean[][] scenarios, int[] folds, List<Integer> groups) {
        /** The labels that members train on. */
        public MemberPlan.Targets targets() {
            return new MemberPlan.Targets(acts, scenarios);
        }
    }

    /**
     * Chooses strengths and weights, and trains the members on all samples.
     *
     * @param scores out-of-fold scores of each linear member for each C, as {@link MemberPlan#scores} returns them
     * @param perceiver out-of-fold scores of the perceiver, shape (n); or null
     */
    public EnsembleModel train(Labelled samples, double[][][] scores, double @Nullable [] perceiver) {
        int[] chosen = IntStream.range(0, plans.size())
                .map(m -> OutOfFold.best(
                        Arrays.copyOf(scores[m], plans.get(m).grid().size()), samples.acts))
                .toArray();
        List<double[]> best = new ArrayList<>();
        IntStream.range(0, plans.size()).forEach(m -> best.add(scores[m][chosen[m]]));
        if (perceiver != null) {
            best.add(perceiver);
        }
        OutOfFold outOfFold = new OutOfFold(best.toArray(double[][]::new), samples.acts, samples.folds);
        EnsembleDescription description = describe(samples, outOfFold, chosen);
        int[] all = IntStream.range(0, samples.input.size()).toArray();
        List<Member> linear = IntStream.range(0, plans.size())
                .<Member>mapToObj(m -> plans.get(m)
                        .train(
                                samples.input,
                                samples.targets(),
                                all,
                                plans.get(m).grid().get(chosen[m])))
                .toList();
        int widest = description.widest();
        ScenarioHeads heads = perceiver == null && linear.get(widest) instanceof LinearMember regressed
                ? heads(samples, regressed.design(), plans.get(widest).grid().get(chosen[widest]))
                : null;
        return new EnsembleModel(description, linear, heads);
    }

    private static ScenarioHeads heads(Labelled samples, FeatureExtractor design, double c) {
        return ScenarioHeads.train(design.rows(samples.input), design.width(), samples.scenarios, c);
    }

    private EnsembleDescription describe(Labelled samples, OutOfFold outOfFold, int[] chosen) {
        ScoreEnsemble mixture = outOfFold.mixture();
        List<EnsembleDescription.Member> members = new ArrayList<>();
        for (int m = 0; m < outOfFold.scores().length; m++) {
            MemberPlan plan = m < plans.size() ? plans.get(m) : null;
            members.add(new EnsembleDescription.Member(
                    plan == null ? PERCEIVER : plan.name(),
                    plan == null ? List.of() : plan.encoders(),
                    plan == null ? null : plan.terms(),
                    plan == null ? null : plan.grid().get(chosen[m]),
                    mixture.weights()[m],
                    mixture.means()[m],
                    mixture.standardDeviations()[m],
                    OutOfFold.area(outOfFold.scores()[m], samples.acts, samples.groups)));
        }
        double[] mixed = outOfFold.mixed();
        LogisticRegression scale = OutOfFold.scale(mixed, samples.acts);
        return new EnsembleDescription(
                EnsembleDescription.FORMAT,
                encoders,
                scenarios,
                members,
                scale.weights()[0],
                scale.intercept(),
                OutOfFold.area(mixed, samples.acts, samples.groups));
    }
}
