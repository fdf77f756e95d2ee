package dev.prpf.par.cascade;

import dev.prpf.data.DeviceContext;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import java.util.List;

/** A dimension of a sample's context that an ablation removes (ProactiveMobile Table 7). */
public enum ContextDimension {
    PROFILE,
    PHONE,
    WORLD,
    TRACE;

    /** Returns the sample with a blank text for this dimension, or with an empty trajectory. */
    public Sample removedFrom(Sample sample) {
        DeviceContext context = sample.context();
        return sample.with(
                new DeviceContext(
                        this == PROFILE ? "" : context.profile(),
                        this == PHONE ? "" : context.phone(),
                        this == WORLD ? "" : context.world()),
                this == TRACE ? new Trajectory(List.of()) : sample.trajectory(),
                sample.answers());
    }
}
