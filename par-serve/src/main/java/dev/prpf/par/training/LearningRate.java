package dev.prpf.par.training;

/**
 * Linear warm-up, then a schedule.
 *
 * @param schedule after the warm-up
 * @param peak the rate after the warm-up
 * @param warmupSteps steps that rise
 * @param totalSteps all steps
 */
public record LearningRate(LrSchedulerType schedule, double peak, long warmupSteps, long totalSteps) {
    /** Creates a schedule; the warm-up is a share of the steps, rounded up, as in transformers. */
    public static LearningRate of(LrSchedulerType schedule, double peak, double warmupRatio, long totalSteps) {
        return new LearningRate(schedule, peak, (long) Math.ceil(warmupRatio * totalSteps), totalSteps);
    }

    /** Returns the rate of a step, counted from 1; never zero, unlike transformers' first step. */
    public double at(long step) {
        if (step <= warmupSteps) {
            return peak * step / warmupSteps;
        }
        double progress = (step - 1.0 - warmupSteps) / Math.max(1, totalSteps - warmupSteps);
        return peak
                * switch (schedule) {
                    case CONSTANT -> 1;
                    case LINEAR -> 1 - progress;
                    case COSINE -> 0.5 * (1 + Math.cos(Math.PI * progress));
                };
    }
}
