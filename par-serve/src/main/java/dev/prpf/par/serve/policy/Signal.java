package dev.prpf.par.serve.policy;

import dev.prpf.base.config.EnumName;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.par.cascade.Cascade.ContextDimension;

/** The parts of a sample that a user can allow or withhold: those of ProactiveMobile's records. */
public enum Signal {
    PROFILE,
    PHONE,
    WORLD,
    CAPTIONS,
    SCREENSHOTS;

    /** Returns the name in policies and audits. */
    public String label() {
        return EnumName.of(this);
    }

    /** Returns the sample with this text blank, or without the trajectory's steps of this kind; possibly without steps. */
    Sample withheldFrom(Sample sample) {
        return switch (this) {
            case PROFILE -> ContextDimension.PROFILE.removedFrom(sample);
            case PHONE -> ContextDimension.PHONE.removedFrom(sample);
            case WORLD -> ContextDimension.WORLD.removedFrom(sample);
            case CAPTIONS -> without(TraceStep.Caption.class, sample);
            case SCREENSHOTS -> without(TraceStep.Screenshot.class, sample);
        };
    }

    private static Sample without(Class<? extends TraceStep> kind, Sample sample) {
        Trajectory left = new Trajectory(sample.trajectory().steps().stream()
                .filter(step -> !kind.isInstance(step))
                .toList());
        return sample.with(sample.context(), left, sample.answers());
    }
}
