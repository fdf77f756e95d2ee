package dev.prpf.mpp;

import dev.prpf.data.Sample;
import java.util.List;

/** Says of a moment whether an intervention is due and which scenarios apply. */
public interface Perceiver extends AutoCloseable {
    /** What this perceiver is, for reports and provenance. */
    String id();

    /** One perception a sample, in order. */
    List<Perception> perceive(List<Sample> samples);

    @Override
    void close();
}
