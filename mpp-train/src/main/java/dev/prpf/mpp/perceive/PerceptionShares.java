package dev.prpf.mpp.perceive;

import dev.prpf.data.encode.EncodingCost;
import dev.prpf.data.encode.SampleFeatures;
import dev.prpf.mpp.PerceptionCost;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.definition.NetworkSummary;
import java.util.List;

/**
 * Shares what it cost to perceive samples together: the encoders' part by how many screenshots, and how many texts, each sample gave them, the
 * network's seconds in equal parts. The network's operations are a sample's own, padding left out.
 *
 * @param shape of the network
 * @param readsScreens whether screenshots count among the texts
 */
record PerceptionShares(NetworkShape shape, boolean readsScreens) {
    /**
     * One cost a sample, in order; encoding and seconds add up to what is given.
     *
     * @param seconds of the network
     */
    List<PerceptionCost> of(List<SampleFeatures> samples, EncodingCost encoding, double seconds) {
        long screenshots =
                samples.stream().mapToLong(SampleFeatures::screenshots).sum();
        long texts = samples.stream().mapToLong(this::texts).sum();
        return samples.stream()
                .map(sample -> {
                    double ofFrames = screenshots == 0 ? 0 : (double) sample.screenshots() / screenshots;
                    EncodingCost own = encoding.times(ofFrames, (double) texts(sample) / texts);
                    return new PerceptionCost(own, flops(sample), seconds / samples.size());
                })
                .toList();
    }

    private int texts(SampleFeatures sample) {
        int steps = sample.screenshot().length;
        return sample.contextVectors() + (readsScreens ? steps : steps - sample.screenshots());
    }

    private long flops(SampleFeatures sample) {
        int steps = Math.max(1, shape.window().seen(sample.screenshot()));
        return NetworkSummary.of(shape, steps).flops();
    }
}
