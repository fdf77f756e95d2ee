package dev.prpf.par.grpo;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.par.engine.HostValues;
import dev.prpf.par.engine.Script;
import org.jspecify.annotations.Nullable;

/** The objective of {@link GrpoSettings} over log-probabilities, as a loss that libtorch differentiates. */
public record GrpoLoss(GrpoSettings settings) {
    /**
     * A batch's part of the step's loss.
     *
     * @param loss a scalar; a backward pass from it reaches {@link GrpoBatch#now} if the thread's gradient mode was on
     * @param metrics of the batch
     */
    public record Part(PtNDArray loss, GrpoMetrics metrics) {}

    /**
     * Computes the loss of a batch and its metrics.
     *
     * @param divisor of {@link GrpoSettings.LossAggregation#divisor} for the whole optimizer step
     * @throws IllegalArgumentException if β > 0 and the batch has no reference
     */
    public Part of(PtNDManager owner, GrpoBatch batch, double divisor) {
        if (batch.reference() == null && settings.klCoefficient() > 0) {
            throw new IllegalArgumentException(
                    "kl-coefficient = " + settings.klCoefficient() + " needs the reference's log-probabilities");
        }
        PtNDArray[] result = Loaded.SCRIPT.differentiables(
                owner,
                "loss",
                batch.now(),
                batch.old(),
                batch.reference() == null ? batch.old() : batch.reference(),
                batch.mask(),
                batch.weights() == null ? batch.mask() : batch.weights(),
                batch.entropies() == null ? batch.old() : batch.entropies(),
                batch.advantages(),
                settings.level() == GrpoSettings.ImportanceLevel.SEQUENCE ? 1L : 0L,
                settings.aggregation() == GrpoSettings.LossAggregation.SEQUENCE_MEAN ? 1L : 0L,
                settings.clipLow(),
                settings.clipHigh(),
                settings.klCoefficient(),
                orZero(settings.dualClip()),
                orZero(settings.logBound()),
                divisor);
        try (PtNDArray numbers = result[1]) {
            return new Part(result[0], metrics(batch, HostValues.doubles(numbers)));
        }
    }

    /** Reads the numbers in the order of the script's last line. */
    private static GrpoMetrics metrics(GrpoBatch batch, double[] numbers) {
        return new GrpoMetrics(
                numbers[0],
                batch.reference() == null ? null : (Double) numbers[1],
                batch.entropies() == null ? null : (Double) numbers[2],
                numbers[3],
                numbers[4],
                numbers[5],
                numbers[6],
                numbers[7],
                numbers[8],
                numbers[9]);
    }

    private static double orZero(@Nullable Double value) {
        return value == null ? 0 : value;
    }

    private static final class Loaded {
        static final Script SCRIPT = Script.load(GrpoLoss.class, "grpo.torchscript");
    }

    /**
     * A batch of responses, B of them with at most T tokens; all arrays are float of one type. Values at masked positions are ignored.
     *
     * @param now log-probabilities under the policy in training, (B, T); the loss is differentiated with respect to it
     * @param old log-probabilities under the policy that sampled the responses, (B, T)
     * @param reference log-probabilities under the reference policy, (B, T), or null where β = 0
     * @param mask 1 where a token counts, else 0, (B, T)
     * @param weights importance sampling weights of the tokens (B, T), or null for 1; the KL penalty is not weighted, as in TRL
     * @param advantages of the responses, (B)
     * @param entropies of the policy's distribution at each token in nats, (B, T), for the metrics; null if unknown
     */
    public record GrpoBatch(
            PtNDArray now,
            PtNDArray old,
            @Nullable PtNDArray reference,
            PtNDArray mask,
            @Nullable PtNDArray weights,
            PtNDArray advantages,
            @Nullable PtNDArray entropies) {}
}
