package dev.prpf.par.cascade;

import dev.prpf.data.DeviceContext;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import java.util.List;

/** A dimension of what a moment is judged by, which an ablation takes away (ProactiveMobile Table 7). */
public enum ContextDimension {
    PROFILE,
    PHONE,
    WORLD,
    TRACE;

    /** The sample with a blank text in place of this one, or with an empty trajectory. */
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
