package dev.prpf.mpp.training;

import org.jspecify.annotations.Nullable;

/**
 * Where a training stands; with the network's arrays and the optimizer's state all that is needed to go on.
 *
 * @param step optimizer steps done
 * @param epoch the epoch under way, from 0
 * @param batch batches of that epoch done
 * @param lossSum sum of this epoch's batch losses, each times its batch's size
 * @param bestDevLoss smallest dev loss so far; null before the first epoch ended
 * @param bestStep the step after which it was measured
 * @param epochsSinceBest epochs ended since
 * @param done whether training has ended
 */
public record TrainingState(
        long step,
        int epoch,
        int batch,
        double lossSum,
        @Nullable Double bestDevLoss,
        long bestStep,
        int epochsSinceBest,
        boolean done) {
    static final TrainingState START = new TrainingState(0, 0, 0, 0, null, 0, 0, false);
}
