package dev.prpf.mpp.ensemble;

import dev.prpf.base.config.Rule;
import dev.prpf.mpp.ensemble.EnsembleModel.LinearMember;
import dev.prpf.mpp.ensemble.EnsembleModel.StepMember;
import dev.prpf.mpp.ensemble.TfIdfGate.Vectorizer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A classifier of an ensemble before its training: its inputs, and the strengths to try.
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

    /** Name of the member that scores single steps. */
    public static final String STEPS = "TF-IDF of single steps";

    /**
     * The terms that a member counts.
     *
     * @param analyzer cuts texts into terms
     * @param scope the steps that count
     */
    public record Terms(TextAnalyzer analyzer, Scope scope) {
        /** The steps that a member reads. */
        public enum Scope {
            /** The context and the last step, as one text. */
            LAST,
            /** The context and all steps, as one text. */
            ALL,
            /** Each step by itself, see {@link StepClassifier}. */
            SINGLE
        }
    }

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
        return new MemberPlan(TERMS, List.of(), new Terms(analyzer, Terms.Scope.LAST), grid);
    }

    /** Plans a member on the terms of context and all steps, for data in which earlier events matter as much as the last. */
    public static MemberPlan ofHistory(TextAnalyzer analyzer, List<Double> grid) {
        return new MemberPlan(HISTORY, List.of(), new Terms(analyzer, Terms.Scope.ALL), grid);
    }

    /** Plans a member that scores single steps and predicts the scenarios, for few samples. */
    public static MemberPlan ofSteps(TextAnalyzer analyzer) {
        return new MemberPlan(STEPS, List.of(), new Terms(analyzer, Terms.Scope.SINGLE), List.of(1.0));
    }

    /**
     * The labels of samples.
     *
     * @param acts whether each wants an intervention
     * @param scenarios multi-hot, shape (n, S); only a member on single steps reads them
     */
    public record Targets(boolean[] acts, boolean[][] scenarios) {
        /** Returns a sample's distribution over silence and the scenarios, (1 + S). */
        private double[] distribution(int sample) {
            double[] target = new double[1 + scenarios[sample].length];
            if (!acts[sample]) {
                target[0] = 1;
                return target;
            }
            int[] own = IntStream.range(0, target.length - 1)
                    .filter(s -> scenarios[sample][s])
                    .toArray();
            int[] shared =
                    own.length > 0 ? own : IntStream.range(0, target.length - 1).toArray();
            IntStream.of(shared).forEach(s -> target[s + 1] = 1.0 / shared.length);
            return target;
        }
    }

    private boolean readsSteps() {
        return terms != null && terms.scope() == Terms.Scope.SINGLE;
    }

    /** Returns the number of scores of a held-out sample, given the number of scenarios. */
    public int scores(int scenarios) {
        return readsSteps() ? 1 + scenarios : grid.size();
    }

    FeatureExtractor learn(LinearInput input, int[] training) {
        return terms == null
                ? FeatureExtractor.Blocks.learn(encoders, input, training)
                : FeatureExtractor.Counts.learn(terms, input, training);
    }

    /**
     * Trains on some samples for each C and scores held-out ones; shape (C, held). For a member on single steps the shape is (1 + S, held): the
     * probabilities of the scenarios follow.
     *
     * @param targets of all samples; those of held-out samples are ignored
     * @throws dev.prpf.base.error.PrpfException 65 if the training samples lack a class
     */
    public double[][] scores(LinearInput input, Targets targets, int[] training, int[] held) {
        if (readsSteps()) {
            double[][] rows =
                    steps(input, targets, training).rows(input.at(held)).toArray(double[][]::new);
            return IntStream.range(0, scores(rows[0].length - 1))
                    .mapToObj(
                            c -> Arrays.stream(rows).mapToDouble(row -> row[c]).toArray())
                    .toArray(double[][]::new);
        }
        boolean[] labels = targets.acts;
        FeatureExtractor design = learn(input, training);
        double[] strengths = grid.stream().mapToDouble(Double::doubleValue).toArray();
        DesignRows scored = design.rows(input, held);
        return design.rows(input, training).fit(OutOfFold.at(labels, training), strengths).stream()
                .map(scored::probabilities)
                .toArray(double[][]::new);
    }

    EnsembleModel.Member train(LinearInput input, Targets targets, int[] training, double c) {
        if (readsSteps()) {
            return steps(input, targets, training);
        }
        FeatureExtractor design = learn(input, training);
        DesignRows rows = design.rows(input, training);
        return new LinearMember(
                name, design, rows.fit(OutOfFold.at(targets.acts, training), c).get(0));
    }

    private StepMember steps(LinearInput input, Targets targets, int[] training) {
        List<StepClassifier.Steps> samples = input.at(training).steps().toList();
        List<String> steps =
                samples.stream().flatMap(sample -> sample.texts().stream()).toList();
        Vectorizer vectorizer =
                Vectorizer.fit(steps, Objects.requireNonNull(terms).analyzer());
        double[][] distributions =
                IntStream.of(training).mapToObj(targets::distribution).toArray(double[][]::new);
        return new StepMember(name, StepClassifier.train(vectorizer, samples, distributions));
    }
}
