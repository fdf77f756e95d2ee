package dev.prpf.mpp.ensemble;

import dev.prpf.base.config.Rule;
import dev.prpf.mpp.ensemble.EnsembleModel.LinearMember;
import dev.prpf.mpp.linear.TextAnalyzer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A linear classifier of an ensemble before its training: its inputs, and the strengths to try.
 *
 * @param name in tables
 * @param encoders indexes of its encoders in {@link LinearInput#vectors}; empty for a member that counts terms
 * @param terms the terms that it counts; null for a member on vectors
 * @param grid strengths C of the regression to try
 */
public record MemberPlan(String name, List<Integer> encoders, @Nullable Terms terms, List<Double> grid) {
    /** Name of the member on all encoders. */
    public static final String ALL = "all encoders + LR";

    /** Name of the member on the terms of context and last step. */
    public static final String TERMS = "TF-IDF + LR";

    /** Name of the member on the terms of context and all steps. */
    public static final String HISTORY = "TF-IDF of all steps + LR";

    /**
     * The terms that a member counts.
     *
     * @param analyzer cuts texts into terms
     * @param allSteps whether all steps count, or only the last one; in both cases with the context
     */
    public record Terms(TextAnalyzer analyzer, boolean allSteps) {}

    public MemberPlan {
        encoders = List.copyOf(encoders);
        grid = List.copyOf(grid);
        Rule.require(
                encoders.isEmpty() == (terms != null), "encoders", encoders, "empty if and only if terms are counted");
        Rule.require(!grid.isEmpty(), "c", grid, "at least one number");
    }

    /** Plans a member for each encoder and, with several encoders, one on all of them. */
    public static List<MemberPlan> ofVectors(List<String> encoders, List<Double> grid) {
        List<MemberPlan> plans = new ArrayList<>();
        for (int e = 0; e < encoders.size(); e++) {
            plans.add(new MemberPlan(encoders.get(e) + " + LR", List.of(e), null, grid));
        }
        if (encoders.size() > 1) {
            List<Integer> all = IntStream.range(0, encoders.size()).boxed().toList();
            plans.add(new MemberPlan(ALL, all, null, grid));
        }
        return plans;
    }

    /** Plans a member on the terms of context and last step, so that a long log does not hide the latest event. */
    public static MemberPlan ofTerms(TextAnalyzer analyzer, List<Double> grid) {
        return new MemberPlan(TERMS, List.of(), new Terms(analyzer, false), grid);
    }

    /** Plans a member on the terms of context and all steps, for data in which earlier events matter as much as the last. */
    public static MemberPlan ofHistory(TextAnalyzer analyzer, List<Double> grid) {
        return new MemberPlan(HISTORY, List.of(), new Terms(analyzer, true), grid);
    }

    FeatureExtractor learn(LinearInput input, int[] training) {
        return terms == null
                ? FeatureExtractor.Blocks.learn(encoders, input, training)
                : FeatureExtractor.Counts.learn(terms, input, training);
    }

    /**
     * Trains on some samples for each C and scores held-out ones; shape (C, held).
     *
     * @param labels of all samples; those of held-out samples are ignored
     * @throws dev.prpf.base.error.PrpfException 65 if the training samples lack a class
     */
    public double[][] scores(LinearInput input, boolean[] labels, int[] training, int[] held) {
        FeatureExtractor design = learn(input, training);
        double[] strengths = grid.stream().mapToDouble(Double::doubleValue).toArray();
        DesignRows scored = design.rows(input, held);
        return design.rows(input, training).fit(OutOfFold.at(labels, training), strengths).stream()
                .map(scored::probabilities)
                .toArray(double[][]::new);
    }

    /** Trains the member on some samples. */
    public LinearMember train(LinearInput input, boolean[] labels, int[] training, double c) {
        FeatureExtractor design = learn(input, training);
        DesignRows rows = design.rows(input, training);
        return new LinearMember(
                name, design, rows.fit(OutOfFold.at(labels, training), c).get(0));
    }
}
