package dev.prpf.mpp.ensemble;

import dev.prpf.base.config.Rule;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.commons.lang3.ArrayUtils;
import org.jspecify.annotations.Nullable;

/**
 * The trained linear classifiers of an ensemble, and the weighted mean (mixture) that turns the scores of all members into logits.
 *
 * @param linear the members without the perceiver
 * @param scenarios null if the perceiver or a member on single steps predicts the scenarios
 */
public record EnsembleModel(EnsembleDescription description, List<Member> linear, @Nullable ScenarioHeads scenarios) {
    public EnsembleModel {
        linear = List.copyOf(linear);
        Rule.require(
                linear.size() + (description.hasPerceiver() ? 1 : 0)
                        == description.members().size(),
                "linear members",
                linear.size(),
                "the number of described members");
        Rule.require(
                (description.hasPerceiver() || linear.get(description.widest()) instanceof StepMember)
                        == (scenarios == null),
                "scenarios",
                scenarios,
                "null if a perceiver or a member on single steps predicts them, else present");
    }

    /**
     * Returns the logits of samples. The trigger's is {@code slope * sum_m w_m (l_m - mean_m) / sd_m + intercept}, with the log-odds l_m of
     * member m. The scenarios' logits are the perceiver's, else those of the member on single steps,
     * else the regressions'.
     *
     * @param perceiver the network's logits, shape (n, 1 + S); null iff there is no perceiver
     * @return shape (n, 1 + S)
     */
    public double[][] logits(LinearInput input, double @Nullable [][] perceiver) {
        List<double[]> scores = new ArrayList<>();
        linear.forEach(member -> scores.add(member.probabilities(input)));
        double[][] scenarioLogits = scenarioLogits(input, perceiver);
        if (perceiver != null) {
            scores.add(probabilities(perceiver));
        }
        return logits(scores.toArray(double[][]::new), scenarioLogits);
    }

    /**
     * Returns the logits of the training samples, by members that did not see them; shape (n, 1 + S).
     *
     * @param scores of the only member, on single steps: P(an intervention is due), then P of each scenario; shape (1 + S, n)
     */
    public double[][] outOfFold(double[][] scores) {
        double[][] scenarioLogits = IntStream.range(0, scores[0].length)
                .mapToObj(i -> StepMember.scenarioLogits(
                        Arrays.stream(scores).mapToDouble(row -> row[i]).toArray()))
                .toArray(double[][]::new);
        return logits(new double[][] {scores[0]}, scenarioLogits);
    }

    private double[][] logits(double[][] scores, double[][] scenarioLogits) {
        double[] mixed = description.scoreEnsemble().apply(scores);
        return IntStream.range(0, mixed.length)
                .mapToObj(i -> ArrayUtils.addFirst(
                        scenarioLogits[i], description.slope() * mixed[i] + description.intercept()))
                .toArray(double[][]::new);
    }

    /** Returns the trigger head's probabilities before calibration. */
    public static double[] probabilities(double[][] logits) {
        return Arrays.stream(logits)
                .mapToDouble(row -> 1 / (1 + Math.exp(-row[0])))
                .toArray();
    }

    private double[][] scenarioLogits(LinearInput input, double @Nullable [][] perceiver) {
        if (perceiver != null) {
            return Arrays.stream(perceiver)
                    .map(row -> Arrays.copyOfRange(row, 1, row.length))
                    .toArray(double[][]::new);
        }
        Member widest = linear.get(description.widest());
        return widest instanceof LinearMember regressed
                ? Objects.requireNonNull(scenarios, "an ensemble with a perceiver needs its logits")
                        .logits(regressed.design().rows(input))
                : ((StepMember) widest).scenarioLogits(input);
    }

    /** Floating-point operations of the linear members for a sample, two a multiply-add; without members that count terms. */
    double flops() {
        double columns = linear.stream()
                .mapToDouble(member -> member instanceof LinearMember regressed ? regressed.columns() : 0)
                .sum();
        double scenarioColumns = scenarios != null && linear.get(description.widest()) instanceof LinearMember widest
                ? (double) scenarios.regressions().size() * widest.design().width()
                : 0;
        return 2 * (columns + scenarioColumns);
    }

    /** A trained member without a network. */
    sealed interface Member {
        String name();

        /** Returns P(an intervention is due) of each sample, with balanced classes; shape (n). */
        double[] probabilities(LinearInput input);
    }

    record LinearMember(String name, FeatureExtractor design, LogisticRegression regression) implements Member {
        @Override
        public double[] probabilities(LinearInput input) {
            return design.rows(input).probabilities(regression);
        }

        private double columns() {
            return design instanceof FeatureExtractor.Blocks ? design.width() : 0;
        }
    }

    record StepMember(String name, StepClassifier classifier) implements Member {
        @Override
        public double[] probabilities(LinearInput input) {
            return rows(input).mapToDouble(row -> row[0]).toArray();
        }

        /** Returns P(an intervention is due) and P of each scenario for each sample, (1 + S). */
        Stream<double[]> rows(LinearInput input) {
            return input.steps().map(classifier::probabilities).map(row -> {
                row[0] = 1 - row[0];
                return row;
            });
        }

        private double[][] scenarioLogits(LinearInput input) {
            return rows(input).map(StepMember::scenarioLogits).toArray(double[][]::new);
        }

        /** Returns the log-odds of each scenario, given that an intervention is due; shape (S). */
        private static double[] scenarioLogits(double[] row) {
            return Arrays.stream(row, 1, row.length)
                    .map(p -> ScoreEnsemble.logOdds(p / Math.max(row[0], Double.MIN_NORMAL)))
                    .toArray();
        }
    }
}
