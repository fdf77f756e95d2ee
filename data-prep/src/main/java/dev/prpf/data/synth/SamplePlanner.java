package dev.prpf.data.synth;

import dev.prpf.data.synth.SamplePlanner.SamplePlan.Decoy;
import dev.prpf.data.synth.SynthSample.Temper;
import java.util.List;

/** Draws a {@link SamplePlan}: difficulty first, then the other properties. */
record SamplePlanner(SynthSettings settings, Draw draw) {
    private static final double OUT_OF_DISTRIBUTION_SHARE = 0.02;
    private static final double OTHER_WISH = 0.25;
    /** Margin that keeps an overshooting last sentence below the maximum. */
    private static final double MARGIN = 0.92;

    private static final double MILD = 0.05;
    /** By difficulty: share of tempting samples among silent ones. */
    private static final double[] TEMPTING = {0.16, 0.56, 0.68};
    /** By difficulty: weights of one, two and three calls. */
    private static final double[][] CALLS = {{1, 0, 0}, {0.70, 0.30, 0}, {0.35, 0.47, 0.18}};

    /** By difficulty: weights of no decoy, one before the need, one after it. */
    private static final double[][] DECOYS = {{0.75, 0.25, 0}, {0.50, 0.45, 0.05}, {0.38, 0.52, 0.10}};
    /** By difficulty: maximum distraction of a sample, as a share of the range. */
    private static final double[] REACH = {0.12, 0.45, 0.95};

    private static final List<Temper> TEMPTATIONS =
            List.of(Temper.ALREADY_DONE, Temper.WRONG_TIME, Temper.AGAINST_WISH);
    private static final double[] TEMPTATION_WEIGHTS = {0.52, 0.30, 0.18};

    SamplePlan plan() {
        int difficulty = 1 + draw.weighted(settings.difficulty().weights());
        Temper temper = temper(difficulty);
        String scenario = scenario(temper);
        int calls = calls(difficulty, temper, scenario);
        double factor = factor(difficulty, calls);
        SynthSettings.Range screens = settings.screens();
        boolean shown = draw.chance(settings.multimodalShare());
        int screenshots = shown ? draw.random().nextInt(screens.min(), screens.max() + 1) : 0;
        Decoy decoy = List.of(Decoy.values()).get(draw.weighted(DECOYS[difficulty - 1]));
        boolean otherWish = draw.chance(OTHER_WISH);
        boolean mild = temper.acts() && difficulty > 1 && draw.chance(MILD);
        double most = settings.distractors().max() * MARGIN;
        return new SamplePlan(difficulty, temper, scenario, calls, factor, most, decoy, otherWish, mild, screenshots);
    }

    private Temper temper(int difficulty) {
        if (!draw.chance(settings.silentShare())) {
            return Temper.OPEN_NEED;
        }
        if (!draw.chance(TEMPTING[difficulty - 1])) {
            return Temper.UNEVENTFUL;
        }
        return TEMPTATIONS.get(draw.weighted(TEMPTATION_WEIGHTS));
    }

    private String scenario(Temper temper) {
        boolean rare = settings.hasOutOfDistribution() && draw.chance(OUT_OF_DISTRIBUTION_SHARE);
        List<String> scenarios = draw.library().scenarios(rare);
        return draw.from(temper == Temper.WRONG_TIME ? withLateIntents(scenarios) : scenarios);
    }

    private List<String> withLateIntents(List<String> scenarios) {
        return scenarios.stream()
                .filter(scenario -> draw.library().intentsOf(scenario).stream().anyMatch(Intent::canBeLate))
                .toList();
    }

    private int calls(int difficulty, Temper temper, String scenario) {
        if (temper == Temper.UNEVENTFUL) {
            return 0;
        }
        int wanted = temper.acts() ? 1 + draw.weighted(CALLS[difficulty - 1]) : 1;
        while (wanted > 1 && draw.library().combinationsOf(scenario, wanted).isEmpty()) {
            wanted--;
        }
        return wanted;
    }

    /** Draws the distraction factor, skewed to short samples; more needs leave less room. */
    private double factor(int difficulty, int calls) {
        double least = settings.distractors().min();
        double most = Math.max(least, settings.distractors().max() * MARGIN);
        double reach = REACH[difficulty - 1] / Math.max(1, calls * calls);
        return least + (most - least) * reach * Math.pow(draw.random().nextDouble(), 2.5);
    }

    /**
     * The plan of one sample, made before its texts.
     *
     * @param difficulty 1 to 3
     * @param calls number of needs; 0 if uneventful
     * @param factor distractor characters per relevant character
     * @param mostFactor maximum factor
     * @param decoy position of a completion of something else
     * @param otherWish whether the profile states a wish on another topic
     * @param mild whether silence is one of the valid answers
     * @param screenshots number of screenshots, 0 for a text sample
     */
    record SamplePlan(
            int difficulty,
            Temper temper,
            String scenario,
            int calls,
            double factor,
            double mostFactor,
            Decoy decoy,
            boolean otherWish,
            boolean mild,
            int screenshots) {

        /** Returns the plan of a sample in a day: one need, and no wish except the day's. */
        SamplePlan inDay(String unwanted) {
            String topic = temper == Temper.AGAINST_WISH ? unwanted : scenario;
            return new SamplePlan(
                    difficulty, temper, topic, Math.min(calls, 1), factor, mostFactor, decoy, false, false, 0);
        }

        /** The position of a completion of something else, worded like a completion of the need. */
        enum Decoy {
            NONE,
            BEFORE,
            AFTER
        }
    }
}
