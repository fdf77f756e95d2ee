package dev.prpf.mpp.training;

import dev.prpf.data.encode.SampleFeatures;
import dev.prpf.data.run.PrpfException;
import dev.prpf.mpp.network.Labels;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * Samples parted into train and dev (8:2 in PRPF B.1), stratified by label and modality.
 *
 * @param train in file order, every sample once
 * @param dev in file order
 */
public record SampleSplit(List<SampleFeatures> train, List<SampleFeatures> dev) {
    public SampleSplit {
        train = List.copyOf(train);
        dev = List.copyOf(dev);
    }

    /**
     * Parts labelled samples.
     *
     * @param devShare share of each stratum that goes to dev, in (0, 1)
     * @throws PrpfException 65 if a sample is unlabelled or a class is missing from either side
     */
    public static SampleSplit of(List<SampleFeatures> samples, double devShare, long seed) {
        requireBothClasses("given", samples);
        Map<String, List<Integer>> strata = new TreeMap<>();
        for (int i = 0; i < samples.size(); i++) {
            strata.computeIfAbsent(stratum(samples.get(i)), key -> new ArrayList<>())
                    .add(i);
        }
        boolean[] inDev = new boolean[samples.size()];
        Random random = new Random(seed);
        for (List<Integer> stratum : strata.values()) {
            Collections.shuffle(stratum, random);
            long share = Math.round(stratum.size() * devShare);
            stratum.stream().limit(share).forEach(i -> inDev[i] = true);
        }
        List<SampleFeatures> train = new ArrayList<>();
        List<SampleFeatures> dev = new ArrayList<>();
        for (int i = 0; i < inDev.length; i++) {
            (inDev[i] ? dev : train).add(samples.get(i));
        }
        requireBothClasses("training", train);
        requireBothClasses("dev", dev);
        return new SampleSplit(train, dev);
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
        int silent = trigger.length - acting;
        if (acting == 0 || silent == 0) {
            throw PrpfException.badData("the " + which + " samples hold " + acting + " that want an intervention and "
                    + silent + " silent ones: a gate needs some of both; give more or other data");
        }
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
