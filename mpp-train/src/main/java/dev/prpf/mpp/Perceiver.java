package dev.prpf.mpp;

import dev.prpf.data.Sample;
import dev.prpf.data.encode.EncodingCost;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Predicts for a sample whether an intervention is due and which scenarios apply. */
public interface Perceiver extends AutoCloseable {
    /** Name of the perceiver, for reports and provenance. */
    String id();

    /** Returns one perception for each sample, in order. */
    List<Perception> perceive(List<Sample> samples);

    /**
     * A perception and what it cost.
     *
     * @param cost null if unknown
     * @param fault why the perceiver's answer is unusable; null if it is usable. With a fault the perception triggers nothing and has no
     *     meaning
     */
    record Costed(Perception perception, @Nullable PerceptionCost cost, @Nullable String fault) {
        /** Creates a usable answer, without a fault. */
        public Costed(Perception perception, @Nullable PerceptionCost cost) {
            this(perception, cost, null);
        }

        /** Returns the perception, or null if the answer is unusable. */
        public @Nullable Perception usable() {
            return fault == null ? perception : null;
        }
    }

    /** Runs {@link #perceive} and splits its total cost between the samples. */
    default List<Costed> perceiveCosted(List<Sample> samples) {
        return perceive(samples).stream()
                .map(perception -> new Costed(perception, null))
                .toList();
    }

    @Override
    void close();

    /**
     * The cost of one perception.
     *
     * @param encoding its share of the frozen encoders' cost
     * @param fusionFlops floating-point operations of the network on its features, two a multiply-add
     * @param fusionSeconds its share of the network's wall clock
     */
    record PerceptionCost(EncodingCost encoding, double fusionFlops, double fusionSeconds) {}
}
