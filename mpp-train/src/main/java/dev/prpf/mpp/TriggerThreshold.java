package dev.prpf.mpp;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.error.GateFailedException;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UnavailableException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.mpp.gate.GateCounts;
import dev.prpf.mpp.guarantee.Guarantee;
import dev.prpf.mpp.guarantee.LearnThenTest;
import dev.prpf.mpp.guarantee.Risk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The gate's threshold τ with the curve it was chosen from (PRPF B.1): an intervention is due iff p_trigger >= τ. Recall and specificity
 * are percentages, on dev.
 *
 * @param threshold τ
 * @param recall share of acting samples let through
 * @param specificity share of silent samples held back
 * @param constraint the rule it was chosen by
 * @param curve one point for each τ tried
 * @param guarantee what holds of τ with stated confidence, or null where none was asked for
 * @param modelSha256 of the weights whose probabilities it was chosen from ({@link MppModel#weightsSha256}), or null where no run's
 */
public record TriggerThreshold(
        @JsonProperty(value = "threshold", required = true) double threshold,
        @JsonProperty(value = "recall", required = true) double recall,
        @JsonProperty(value = "specificity", required = true) double specificity,
        @JsonProperty(value = "constraint", required = true) String constraint,
        @JsonProperty(value = "curve", required = true) List<Point> curve,
        @JsonProperty("guarantee") @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Guarantee guarantee,
        @JsonProperty("model_sha256") @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String modelSha256) {
    /** τ of PRPF B.1, chosen there on the paper's own data. */
    public static final double PAPER = 0.78;

    /** File name within a run directory. */
    public static final String FILE = "threshold.json";

    private static final int FIRST = 5;
    private static final int LAST = 95;
    private static final ObjectMapper JSON =
            new ObjectMapper().enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES);

    // Spelt out, not compact: the null checker reads a parameter's annotation only here.
    public TriggerThreshold(
            double threshold,
            double recall,
            double specificity,
            String constraint,
            List<Point> curve,
            @Nullable Guarantee guarantee,
            @Nullable String modelSha256) {
        this.threshold = within("threshold", threshold, 1);
        this.recall = within("recall", recall, 100);
        this.specificity = within("specificity", specificity, 100);
        this.constraint = Objects.requireNonNull(constraint, "constraint is missing");
        this.curve = List.copyOf(Objects.requireNonNull(curve, "curve is missing"));
        this.guarantee = guarantee;
        this.modelSha256 = modelSha256;
    }

    /** Without a guarantee, of no run's weights. */
    public TriggerThreshold(double threshold, double recall, double specificity, String constraint, List<Point> curve) {
        this(threshold, recall, specificity, constraint, curve, null, null);
    }

    private static double within(String what, double value, int most) {
        if (!(value >= 0 && value <= most)) {
            throw new IllegalArgumentException(what + " = " + value + ", must lie in [0, " + most + "]");
        }
        return value;
    }

    /** The same, chosen with these weights. */
    TriggerThreshold of(@Nullable String weightsSha256) {
        return new TriggerThreshold(threshold, recall, specificity, constraint, curve, guarantee, weightsSha256);
    }

    /**
     * One τ and what it gives, in percent.
     *
     * @param tau the threshold
     * @param recall share of acting samples let through
     * @param specificity share of silent samples held back
     */
    public record Point(double tau, double recall, double specificity) {
        public Point {
            within("tau", tau, 1);
            within("recall", recall, 100);
            within("specificity", specificity, 100);
        }
    }

    /** What a threshold must satisfy, and what is best among those that do. */
    public sealed interface Constraint {
        /** The most specific τ whose recall is at least so many percent (the paper's rule, with 90). */
        record MinRecall(double percent) implements Constraint {}

        /** The τ of most recall whose false-trigger rate, 100 - specificity, is at most so many percent. */
        record MaxFalseTriggers(double percent) implements Constraint {}

        /** This τ. */
        record Fixed(double tau) implements Constraint {}
    }

    /** Every τ that may be chosen: 0.05 to 0.95 in steps of 0.01. */
    public static double[] grid() {
        double[] grid = new double[LAST - FIRST + 1];
        for (int i = 0; i < grid.length; i++) {
            grid[i] = (FIRST + i) / 100.0;
        }
        return grid;
    }

    /**
     * Chooses the τ of the {@link #grid} that is best on dev among those whose risk is bounded: of most recall where the false-trigger
     * rate is bounded, most specific where misses are, ties to the one of the lower bounded risk.
     *
     * @param rule what is to be bounded
     * @param dev for recall, specificity and curve
     * @param calibration for the bound; the caller made sure that nothing saw it
     * @param calibrationSha256 of its file
     * @throws PrpfException see {@link LearnThenTest#bounded}
     */
    public static TriggerThreshold guaranteed(
            LearnThenTest rule, LabelledPerceptions dev, LabelledPerceptions calibration, String calibrationSha256) {
        double[] grid = grid();
        List<LearnThenTest.Tested> bounded = rule.bounded(grid, calibration.pTrigger(), calibration.acts());
        boolean falseTriggers = rule.risk() == Risk.FTR;
        LearnThenTest.Tested best = bounded.get(0);
        Point bestPoint = point(best.tau(), dev.pTrigger(), dev.acts());
        for (LearnThenTest.Tested candidate : bounded) {
            Point point = point(candidate.tau(), dev.pTrigger(), dev.acts());
            int better = falseTriggers
                    ? Double.compare(point.recall(), bestPoint.recall())
                    : Double.compare(point.specificity(), bestPoint.specificity());
            if (better > 0 || (better == 0 && candidate.upper() < best.upper())) {
                best = candidate;
                bestPoint = point;
            }
        }
        Guarantee guarantee = new Guarantee(
                rule.risk(),
                rule.bound(),
                rule.confidence(),
                best.upper(),
                best.samples(),
                best.errors(),
                grid.length,
                calibrationSha256);
        List<Point> curve = choose(dev.pTrigger(), dev.acts(), new Constraint.Fixed(best.tau()))
                .curve();
        return new TriggerThreshold(
                best.tau(), bestPoint.recall(), bestPoint.specificity(), rule.rule(), curve, guarantee, null);
    }

    /** One line for reports: τ, its rule, what it gives on dev, and its guarantee. */
    public String sentence() {
        String chosen = String.format(
                Locale.ROOT,
                "tau %.2f (%s; on dev recall %.2f, specificity %.2f)",
                threshold,
                constraint,
                recall,
                specificity);
        return guarantee == null ? chosen + ", no guarantee" : chosen + "; guaranteed: " + guarantee.sentence();
    }

    /**
     * Chooses τ from the {@link #grid}, ties to the smaller.
     *
     * @param pTrigger probabilities
     * @param acts whether each sample wants an intervention
     * @throws PrpfException 11 if no τ satisfies the constraint, 65 if a class is empty
     */
    public static TriggerThreshold choose(double[] pTrigger, boolean[] acts, Constraint constraint) {
        List<Point> curve = new ArrayList<>();
        for (double tau : grid()) {
            curve.add(point(tau, pTrigger, acts));
        }
        if (constraint instanceof Constraint.Fixed fixed) {
            Point point = point(fixed.tau(), pTrigger, acts);
            return new TriggerThreshold(point.tau(), point.recall(), point.specificity(), rule(constraint), curve);
        }
        Point best = curve.stream()
                .filter(point -> satisfies(point, pTrigger, acts, constraint))
                .max(Comparator.comparingDouble((Point point) -> merit(point, constraint))
                        .thenComparing(Comparator.comparingDouble(Point::tau).reversed()))
                .orElseThrow(() -> new GateFailedException("no threshold from 0.05 to 0.95 has " + rule(constraint)
                        + "; nearest: " + nearest(curve, constraint) + ". Train further, or relax the constraint"));
        return new TriggerThreshold(best.tau(), best.recall(), best.specificity(), rule(constraint), curve);
    }

    private static Point point(double tau, double[] pTrigger, boolean[] acts) {
        GateCounts counts = GateCounts.at(tau, pTrigger, acts);
        int acting = counts.truePositives() + counts.falseNegatives();
        int silent = counts.total() - acting;
        if (acting == 0 || silent == 0) {
            throw new InvalidDataException("a threshold cannot be judged on " + acting + " acting and " + silent
                    + " silent samples: some of both are needed");
        }
        return new Point(tau, 100.0 * counts.truePositives() / acting, 100.0 * counts.trueNegatives() / silent);
    }

    private static boolean satisfies(Point point, double[] pTrigger, boolean[] acts, Constraint constraint) {
        if (constraint instanceof Constraint.MinRecall rule) {
            return point.recall() >= rule.percent();
        }
        // Of the counts: 100 - specificity is off by a rounding and would refuse a rate of just the limit.
        Double rate = GateCounts.at(point.tau(), pTrigger, acts).falseTriggerRate();
        return rate != null && rate <= ((Constraint.MaxFalseTriggers) constraint).percent();
    }

    private static double merit(Point point, Constraint constraint) {
        return constraint instanceof Constraint.MinRecall ? point.specificity() : point.recall();
    }

    private static String rule(Constraint constraint) {
        if (constraint instanceof Constraint.MinRecall rule) {
            return "recall >= " + number(rule.percent());
        }
        return constraint instanceof Constraint.MaxFalseTriggers rule
                ? "ftr <= " + number(rule.percent())
                : "tau = " + ((Constraint.Fixed) constraint).tau();
    }

    private static String nearest(List<Point> curve, Constraint constraint) {
        Point point = curve.stream()
                .max(Comparator.comparingDouble(
                        p -> constraint instanceof Constraint.MinRecall ? p.recall() : p.specificity()))
                .orElseThrow();
        return String.format(
                Locale.ROOT,
                "tau %.2f with recall %.2f and specificity %.2f",
                point.tau(),
                point.recall(),
                point.specificity());
    }

    private static String number(double value) {
        return value == Math.rint(value) ? String.valueOf((long) value) : String.valueOf(value);
    }

    /** Whether the gate opens. */
    public boolean triggers(Perception perception) {
        return perception.pTrigger() >= threshold;
    }

    /** Writes {@link #FILE} into a run directory. */
    public void save(Path runDirectory) {
        try {
            byte[] json = JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(this);
            AtomicFiles.write(runDirectory.resolve(FILE), out -> out.write(json));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** {@link #save} with its {@link ThresholdCurve}. */
    public void keep(Path runDirectory) {
        save(runDirectory);
        ThresholdCurve.write(runDirectory, this);
    }

    /** Whether a run has a threshold. */
    public static boolean exists(Path runDirectory) {
        return Files.isRegularFile(runDirectory.resolve(FILE));
    }

    /** @throws PrpfException 69 if the run has no threshold yet, 65 naming file and key if it is not whole or not of the run's weights */
    public static TriggerThreshold load(Path runDirectory) {
        Path file = runDirectory.resolve(FILE);
        if (!exists(runDirectory)) {
            SeveralRuns.refuse(runDirectory);
            throw new UnavailableException(
                    file + ": does not exist; choose a threshold with `prpf mpp sweep --run " + runDirectory + "`");
        }
        try {
            TriggerThreshold read = JSON.readValue(Files.readAllBytes(file), TriggerThreshold.class);
            if (read == null) {
                throw new InvalidDataException(file + ": is no threshold: must be a JSON object");
            }
            RunWeights.requireThreshold(runDirectory, read.modelSha256());
            return read;
        } catch (JsonMappingException e) {
            String key = e.getPath().isEmpty() ? "" : e.getPathReference() + ": ";
            throw new InvalidDataException(file + ": is no threshold: " + key + e.getOriginalMessage());
        } catch (IOException e) {
            throw new InvalidDataException(file + ": cannot be read: " + e.getMessage());
        }
    }
}
