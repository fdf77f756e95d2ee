package dev.prpf.mpp;

import dev.prpf.data.Sample;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Says of a moment whether an intervention is due and which scenarios apply. */
public interface Perceiver extends AutoCloseable {
    /** What this perceiver is, for reports and provenance. */
    String id();

    /** One perception a sample, in order. */
    List<Perception> perceive(List<Sample> samples);

    /**
     * A perception and what it cost.
     *
     * @param cost null where that is not known
     * @param fault why the perceiver's answer could not be used; the perception then triggers nothing, and means nothing. Else null
     */
    record Costed(Perception perception, @Nullable PerceptionCost cost, @Nullable String fault) {
        /** An answer that can be used. */
        public Costed(Perception perception, @Nullable PerceptionCost cost) {
            this(perception, cost, null);
        }

        /** Null where the answer could not be used: what the sample wants is not known then. */
        public @Nullable Perception usable() {
            return fault == null ? perception : null;
        }
    }

    /** {@link #perceive}, and what each perception cost: the samples' costs add up to what all took. */
    default List<Costed> perceiveCosted(List<Sample> samples) {
        return perceive(samples).stream()
                .map(perception -> new Costed(perception, null))
                .toList();
    }

    @Override
    void close();
}
