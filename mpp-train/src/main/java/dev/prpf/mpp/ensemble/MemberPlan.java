package dev.prpf.mpp.ensemble;

import dev.prpf.base.config.Rule;
import dev.prpf.mpp.linear.TextAnalyzer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A linear member before it is trained.
 *
 * @param name in tables
 * @param encoders whose vectors it sees, as places in {@link LinearInput#vectors}; none for one that counts terms
 * @param terms what it counts; null for one that sees vectors
 * @param grid the strengths C of the regression that are tried
 */
public record MemberPlan(String name, List<Integer> encoders, @Nullable Terms terms, List<Double> grid) {
    /** What the member of all encoders is called. */
    public static final String ALL = "all encoders + LR";

    /** What the member that counts the terms of context and last step is called. */
    public static final String TERMS = "TF-IDF + LR";

    /** What the member that counts those of all steps is called. */
    public static final String HISTORY = "TF-IDF of all steps + LR";

    /**
     * What a member counts.
     *
     * @param analyzer cuts texts into terms
     * @param allSteps whether those of all steps count, or of the last one alone; both with the context
     */
    public record Terms(TextAnalyzer analyzer, boolean allSteps) {}

    public MemberPlan {
        encoders = List.copyOf(encoders);
        grid = List.copyOf(grid);
        Rule.require(encoders.isEmpty() == (terms != null), "encoders", encoders, "none iff terms are counted");
        Rule.require(!grid.isEmpty(), "c", grid, "at least one number");
    }

    /** A member for each encoder and, of several, one that sees the vectors of all. */
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

    /** The member that counts the terms of context and last step: in a long log what has just happened would drown. */
    public static MemberPlan ofTerms(TextAnalyzer analyzer, List<Double> grid) {
        return new MemberPlan(TERMS, List.of(), new Terms(analyzer, false), grid);
    }

    /** The member that counts the terms of context and all steps: what happened before may matter as much. */
    public static MemberPlan ofHistory(TextAnalyzer analyzer, List<Double> grid) {
        return new MemberPlan(HISTORY, List.of(), new Terms(analyzer, true), grid);
    }

    Design learn(LinearInput input, int[] training) {
        return terms == null
                ? Design.Blocks.learn(encoders, input, training)
                : Design.Counts.learn(terms, input, training);
    }

    /**
     * Trains on some samples for each C and scores others; shape (C, held).
     *
     * @param labels of all samples; those of the held ones are not looked at
     * @throws dev.prpf.base.error.PrpfException 65 if the training samples lack a class
     */
    public double[][] scores(LinearInput input, boolean[] labels, int[] training, int[] held) {
        Design design = learn(input, training);
        double[] strengths = grid.stream().mapToDouble(Double::doubleValue).toArray();
        DesignRows scored = design.rows(input, held);
        return design.rows(input, training).fit(OutOfFold.at(labels, training), strengths).stream()
                .map(scored::probabilities)
                .toArray(double[][]::new);
    }

    /** Trains on some samples. */
    public LinearMember train(LinearInput input, boolean[] labels, int[] training, double c) {
        Design design = learn(input, training);
        DesignRows rows = design.rows(input, training);
        return new LinearMember(
                name, design, rows.fit(OutOfFold.at(labels, training), c).get(0));
    }
}
