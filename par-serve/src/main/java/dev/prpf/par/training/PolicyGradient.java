package dev.prpf.par.training;

import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.JniUtils;
import dev.prpf.par.grpo.GrpoBatch;
import dev.prpf.par.grpo.GrpoLoss;
import dev.prpf.par.grpo.GrpoMetrics;
import dev.prpf.par.grpo.GrpoSettings;
import dev.prpf.par.model.DecoderConfig;
import dev.prpf.par.model.DecoderScript;
import dev.prpf.par.model.Precision;
import dev.prpf.par.model.RotaryTables;
import dev.prpf.par.model.TorchRuntime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The GRPO loss of responses and its gradient (PRPF eq. 14). The policy is updated once for a set of rollouts, so the old policy is the
 * policy itself and every ratio is 1: what the engine that sampled says of a token is only compared.
 */
final class PolicyGradient {
    private final TrainableDecoder policy;
    private final @Nullable ReferencePolicy reference;
    private final Precision precision;
    private final double temperature;
    private final GrpoLoss loss;
    private final RotaryTables rotary;

    /**
     * A part of a step.
     *
     * @param metrics of its responses
     * @param mismatch between the engine that sampled and this one
     */
    record Part(GrpoMetrics metrics, LogProbabilityGap mismatch) {}

    /**
     * @param reference null where the objective has no KL penalty
     * @param temperature that responses were sampled at
     */
    PolicyGradient(
            TrainableDecoder policy,
            @Nullable ReferencePolicy reference,
            GrpoSettings settings,
            Precision precision,
            double temperature) {
        this.policy = policy;
        this.reference = reference;
        this.precision = precision;
        this.temperature = temperature;
        loss = new GrpoLoss(settings);
        rotary = new RotaryTables(policy.config(), policy.manager());
    }

    /**
     * Adds the gradient of these responses' part of the loss.
     *
     * @param divisor of the whole optimizer step
     */
    Part backward(List<ScoredResponse> responses, double divisor) {
        JniUtils.setGradMode(true);
        try (PtNDManager scratch = TorchRuntime.newManager()) {
            ResponseBatch batch = ResponseBatch.of(
                    scratch, responses.stream().map(ScoredResponse::tokens).toList());
            PtNDArray[] now = DecoderScript.get().differentiables(scratch, "logprobs", arguments(batch));
            GrpoLoss.Part part = loss.of(scratch, grpoBatch(scratch, batch, now, responses), divisor);
            if (Double.isFinite(part.metrics().loss())) {
                try (PtNDArray one = (PtNDArray) scratch.create(1f)) {
                    JniUtils.backward(part.loss(), one, false, false);
                }
            }
            return new Part(part.metrics(), LogProbabilityGap.of(responses, now[1].toFloatArray(), batch.width()));
        } finally {
            JniUtils.setGradMode(false);
        }
    }

    private GrpoBatch grpoBatch(
            PtNDManager scratch, ResponseBatch batch, PtNDArray[] now, List<ScoredResponse> responses) {
        float[] advantages = new float[responses.size()];
        for (int i = 0; i < advantages.length; i++) {
            advantages[i] = (float) responses.get(i).advantage();
        }
        return new GrpoBatch(
                now[0],
                now[1],
                reference == null ? null : reference.logProbabilities(scratch, batch, temperature),
                batch.mask(),
                (PtNDArray) scratch.create(advantages, new Shape(advantages.length)),
                now[2]);
    }

    private Object[] arguments(ResponseBatch batch) {
        DecoderConfig config = policy.config();
        SftBatch tokens = batch.tokens();
        RotaryTables.Pair tables =
                rotary.upTo(Math.toIntExact(tokens.ids().getShape().get(1)));
        List<Object> arguments = new ArrayList<>(List.of(
                tokens.ids(), tokens.positions(), tokens.sequences(), tokens.where(), tokens.labels(), batch.rows()));
        arguments.addAll(Arrays.asList(policy.arguments()));
        arguments.addAll(List.of(
                tables.cosines(),
                tables.sines(),
                config.dims(),
                config.normEpsilon(),
                precision.scalarType(),
                temperature));
        return arguments.toArray();
    }
}
