package dev.prpf.mpp.split;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.data.encode.SampleFeatures;
import dev.prpf.mpp.gate.ConfusionMatrix;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.commons.lang3.ArrayUtils;
import org.apache.commons.lang3.BooleanUtils;

/**
 * Samples split into train, dev (8:2 in PRPF B.1) and calibration, stratified by label and modality.
 *
 * @param samples in file order
 */
public record SampleSplit(List<SampleFeatures> samples, List<Split> splits) {
    /**
     * Splits labelled samples by strata. Those with equal features stay on one side, so shares may deviate.
     *
     * @param devShare share of each stratum that goes to dev, in [0, 1)
     * @param calibrationShare share of each stratum that goes to calibration, in [0, 1); does not change dev
     * @throws dev.prpf.base.error.PrpfException 65 if a sample is unlabelled, or a class is missing from train, dev or a requested
     *     calibration
     */
    public static SampleSplit of(List<SampleFeatures> samples, double devShare, double calibrationShare, long seed) {
        return of(samples, samples.stream().map(SampleSplit::seen).toList(), devShare, calibrationShare, seed);
    }

    /**
     * Splits labelled samples like {@link #of(List, double, double, long)}, by keys.
     *
     * @param keys one for each sample; samples with equal keys stay on one side
     */
    public static SampleSplit of(
            List<SampleFeatures> samples, List<?> keys, double devShare, double calibrationShare, long seed) {
        requireBothClasses("whole", samples);
        Map<String, List<Integer>> strata = IntStream.range(0, samples.size())
                .boxed()
                .collect(Collectors.groupingBy(
                        i -> stratum(samples.get(i)), TreeMap::new, Collectors.toCollection(ArrayList::new)));
        Split[] splits = new Split[samples.size()];
        Arrays.fill(splits, Split.TRAIN);
        Random random = new Random(seed);
        for (List<Integer> stratum : strata.values()) {
            Collections.shuffle(stratum, random);
            long dev = Math.round(stratum.size() * devShare);
            long calibration = Math.round(stratum.size() * calibrationShare);
            stratum.stream().limit(dev).forEach(i -> splits[i] = Split.DEV);
            stratum.stream().skip(dev).limit(calibration).forEach(i -> splits[i] = Split.CALIBRATION);
        }
        keepTogether(keys, splits);
        SampleSplit split = new SampleSplit(samples, List.of(splits));
        requireBothClasses("training", split.of(Split.TRAIN));
        if (devShare > 0) {
            requireBothClasses("dev", split.of(Split.DEV));
        }
        if (calibrationShare > 0) {
            requireBothClasses("calibration", split.of(Split.CALIBRATION));
        }
        return split;
    }

    /** Returns the samples of a split, in file order. */
    public List<SampleFeatures> of(Split split) {
        return IntStream.range(0, splits.size())
                .filter(i -> splits.get(i) == split)
                .mapToObj(samples::get)
                .toList();
    }

    /** Moves samples with equal keys to the split of the first one: the same sample under two ids would leak. */
    private static void keepTogether(List<?> keys, Split[] splits) {
        Map<Object, Split> first = new HashMap<>();
        for (int i = 0; i < splits.length; i++) {
            Split mine = splits[i];
            splits[i] = first.computeIfAbsent(keys.get(i), unseen -> mine);
        }
    }

    /** Returns a sample's features as a key; buffers are compared by their numbers. */
    private static List<Object> seen(SampleFeatures sample) {
        List<Object> key = new ArrayList<>();
        for (float[][] text : sample.context()) {
            key.add(Stream.of(text).map(FloatBuffer::wrap).toList());
        }
        Stream.of(sample.steps()).map(FloatBuffer::wrap).forEach(key::add);
        key.addAll(Arrays.asList(ArrayUtils.toObject(sample.screenshot())));
        return key;
    }

    private static String stratum(SampleFeatures sample) {
        return sample.intervention() + (BooleanUtils.or(sample.screenshot()) ? " multimodal" : " text");
    }

    /** @throws dev.prpf.base.error.PrpfException 65 if a sample of this part is unlabelled or a class is missing */
    public static void requireBothClasses(String which, List<SampleFeatures> samples) {
        for (SampleFeatures sample : samples) {
            if (sample.intervention() == null || sample.scenarios() == null) {
                throw new InvalidDataException("sample " + sample.id()
                        + " is unlabelled: training and tuning need its valid answers; leave it out or label it");
            }
        }
        long acting = samples.stream()
                .filter(sample -> Boolean.TRUE.equals(sample.intervention()))
                .count();
        ConfusionMatrix.requireBothClasses("the " + which + " part of the samples", acting, samples.size() - acting);
    }

    /**
     * Repeats the samples of one class until both classes are equally large (PRPF §3.5: the silent class). Does nothing if the class is large
     * enough. Repetitions are even; the seed draws the remainder.
     *
     * @param acting the class to repeat
     */
    public static List<SampleFeatures> oversampled(List<SampleFeatures> train, boolean acting, long seed) {
        List<SampleFeatures> repeated = new ArrayList<>(train);
        repeated.removeIf(sample -> !Boolean.valueOf(acting).equals(sample.intervention()));
        int missing = train.size() - 2 * repeated.size();
        if (repeated.isEmpty() || missing <= 0) {
            return List.copyOf(train);
        }
        List<SampleFeatures> oversampled = new ArrayList<>(train);
        Collections.shuffle(repeated, new Random(seed));
        IntStream.range(0, missing).forEach(i -> oversampled.add(repeated.get(i % repeated.size())));
        return oversampled;
    }

    /** The use of a sample in a run. */
    public enum Split {
        /** Samples for the optimizer. */
        TRAIN,
        /** Samples for early stopping, calibration of probabilities and the choice of τ. */
        DEV,
        /** Samples for risk control only, unseen by all of these. */
        CALIBRATION,
        /** Samples for the final metrics, from a file of their own. */
        TEST;

        /** The name in files: the lower-case constant. */
        @JsonValue
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
