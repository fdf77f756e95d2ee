package dev.prpf.mpp.training;

import dev.prpf.data.encode.SampleFeatures;
import dev.prpf.mpp.Split;
import dev.prpf.mpp.gate.ClassCounts;
import dev.prpf.mpp.network.definition.Labels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Samples parted into train, dev (8:2 in PRPF B.1) and calibration, stratified by label and modality.
 *
 * @param train in file order, every sample once
 * @param dev in file order
 * @param calibration in file order; may be empty
 */
public record SampleSplit(List<SampleFeatures> train, List<SampleFeatures> dev, List<SampleFeatures> calibration) {
    public SampleSplit {
        train = List.copyOf(train);
        dev = List.copyOf(dev);
        calibration = List.copyOf(calibration);
    }

    /** Parts labelled samples into train and dev alone. */
    public static SampleSplit of(List<SampleFeatures> samples, double devShare, long seed) {
        return of(samples, devShare, 0, seed);
    }

    /**
     * Parts labelled samples.
     *
     * <p>Samples that the network cannot tell apart stay on one side, whatever their ids, so that shares are met but for them.
     *
     * @param devShare share of each stratum that goes to dev, in (0, 1)
     * @param calibrationShare share of each stratum that goes to calibration, in [0, 1); what dev holds does not depend on it
     * @throws dev.prpf.base.error.PrpfException 65 if a sample is unlabelled or a class is missing from train, dev or a calibration that is asked for
     */
    public static SampleSplit of(List<SampleFeatures> samples, double devShare, double calibrationShare, long seed) {
        requireBothClasses("whole", samples);
        Map<String, List<Integer>> strata = new TreeMap<>();
        for (int i = 0; i < samples.size(); i++) {
            strata.computeIfAbsent(stratum(samples.get(i)), key -> new ArrayList<>())
                    .add(i);
        }
        Split[] parts = new Split[samples.size()];
        Arrays.fill(parts, Split.TRAIN);
        Random random = new Random(seed);
        for (List<Integer> stratum : strata.values()) {
            Collections.shuffle(stratum, random);
            long dev = Math.round(stratum.size() * devShare);
            long calibration = Math.round(stratum.size() * calibrationShare);
            stratum.stream().limit(dev).forEach(i -> parts[i] = Split.DEV);
            stratum.stream().skip(dev).limit(calibration).forEach(i -> parts[i] = Split.CALIBRATION);
        }
        keepTogether(samples, parts);
        Map<Split, List<SampleFeatures>> parted = new EnumMap<>(Split.class);
        for (Split part : Split.values()) {
            parted.put(part, new ArrayList<>());
        }
        for (int i = 0; i < parts.length; i++) {
            Objects.requireNonNull(parted.get(parts[i])).add(samples.get(i));
        }
        SampleSplit split = new SampleSplit(
                Objects.requireNonNull(parted.get(Split.TRAIN)),
                Objects.requireNonNull(parted.get(Split.DEV)),
                Objects.requireNonNull(parted.get(Split.CALIBRATION)));
        requireBothClasses("training", split.train);
        requireBothClasses("dev", split.dev);
        if (calibrationShare > 0) {
            requireBothClasses("calibration", split.calibration);
        }
        return split;
    }

    /** Samples that the network cannot tell apart go where the first of them went: the same sample under two ids would leak. */
    private static void keepTogether(List<SampleFeatures> samples, Split[] parts) {
        Map<Seen, Split> first = new HashMap<>();
        for (int i = 0; i < parts.length; i++) {
            Split mine = parts[i];
            parts[i] = first.computeIfAbsent(new Seen(samples.get(i)), unseen -> mine);
        }
    }

    /** What the network sees of a sample, by value. */
    private static final class Seen {
        private final SampleFeatures sample;
        private final int hash;

        Seen(SampleFeatures sample) {
            this.sample = sample;
            hash = Arrays.hashCode(new int[] {
                Arrays.deepHashCode(sample.context()),
                Arrays.deepHashCode(sample.steps()),
                Arrays.hashCode(sample.screenshot())
            });
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Seen that
                    && Arrays.deepEquals(sample.context(), that.sample.context())
                    && Arrays.deepEquals(sample.steps(), that.sample.steps())
                    && Arrays.equals(sample.screenshot(), that.sample.screenshot());
        }

        @Override
        public int hashCode() {
            return hash;
        }
    }

    private static String stratum(SampleFeatures sample) {
        boolean screens = false;
        for (boolean screenshot : sample.screenshot()) {
            screens |= screenshot;
        }
        return sample.intervention() + (screens ? " multimodal" : " text");
    }

    static void requireBothClasses(String which, List<SampleFeatures> samples) {
        float[] trigger = Labels.of(samples).trigger();
        int acting = 0;
        for (float y : trigger) {
            acting += y > 0.5f ? 1 : 0;
        }
        new ClassCounts(acting, trigger.length - acting).requireBoth("the " + which + " part of the samples");
    }

    /**
     * Training samples with silent ones repeated until they are as many as the acting ones (PRPF §3.5); unchanged where they are as
     * many already. Every silent sample is repeated equally often, the rest drawn by the seed.
     */
    public static List<SampleFeatures> balanced(List<SampleFeatures> train, long seed) {
        List<SampleFeatures> silent = new ArrayList<>(train.stream()
                .filter(sample -> Boolean.FALSE.equals(sample.intervention()))
                .toList());
        int missing = train.size() - 2 * silent.size();
        if (silent.isEmpty() || missing <= 0) {
            return List.copyOf(train);
        }
        List<SampleFeatures> balanced = new ArrayList<>(train);
        Collections.shuffle(silent, new Random(seed));
        for (int i = 0; i < missing; i++) {
            balanced.add(silent.get(i % silent.size()));
        }
        return balanced;
    }
}
