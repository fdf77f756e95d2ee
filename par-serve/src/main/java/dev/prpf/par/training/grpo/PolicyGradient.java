package dev.prpf.par.training.grpo;

import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.JniUtils;
import dev.prpf.par.engine.DecoderScript;
import dev.prpf.par.engine.RotaryTables;
import dev.prpf.par.engine.TorchRuntime;
import dev.prpf.par.grpo.GrpoBatch;
import dev.prpf.par.grpo.GrpoLoss;
import dev.prpf.par.grpo.GrpoMetrics;
import dev.prpf.par.grpo.GrpoSettings;
import dev.prpf.par.training.CheckpointedPass;
import dev.prpf.par.training.ComputeSettings;
import dev.prpf.par.training.ResponseBatch;
import dev.prpf.par.training.SftBatch;
import dev.prpf.par.training.TrainableDecoder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The GRPO loss of responses and its gradient (PRPF eq. 14). The policy is updated once for a set of rollouts, so the old policy is the
 * policy itself and every ratio is 1: what the engine that sampled says of a token is only compared.
 */
public final class PolicyGradient {
    private final TrainableDecoder policy;
    private final @Nullable ReferencePolicy reference;
    private final ComputeSettings compute;
    private final double temperature;
    private final GrpoLoss loss;
    private final RotaryTables rotary;
    private final @Nullable CheckpointedPass checkpointed;

    /**
     * A part of a step.
     *
     * @param metrics of its responses
     * @param mismatch between the engine that sampled and this one
     */
    public record Part(GrpoMetrics metrics, LogProbabilityGap mismatch) {}

    /**
     * @param reference null where the objective has no KL penalty
     * @param temperature that responses were sampled at
     */
    public PolicyGradient(
            TrainableDecoder policy,
            @Nullable ReferencePolicy reference,
            GrpoSettings settings,
            ComputeSettings compute,
            double temperature) {
        this.policy = policy;
        this.reference = reference;
        this.compute = compute;
        this.temperature = temperature;
        loss = new GrpoLoss(settings);
        rotary = new RotaryTables(policy.config(), policy.manager());
        checkpointed = compute.checkpointing() ? new CheckpointedPass(policy, compute.precision()) : null;
    }

    /**
     * Adds the gradient of these responses' part of the loss.
     *
     * @param divisor of the whole optimizer step
     */
    public Part backward(List<ScoredResponse> responses, double divisor) {
        try (PtNDManager scratch = TorchRuntime.newManager()) {
            ResponseBatch batch = ResponseBatch.of(
                    scratch, responses.stream().map(ScoredResponse::tokens).toList());
            if (checkpointed != null) {
                return backward(checkpointed, scratch, batch, responses, divisor);
            }
            JniUtils.setGradMode(true);
            PtNDArray[] now = DecoderScript.get().differentiables(scratch, "logprobs", arguments(batch));
            return backward(scratch, grpoBatch(scratch, batch, now, responses), responses, batch.width(), divisor);
        } finally {
            JniUtils.setGradMode(false);
        }
    }

    private Part backward(
            PtNDManager scratch, GrpoBatch batch, List<ScoredResponse> responses, int width, double divisor) {
        GrpoLoss.Part part = loss.of(scratch, batch, divisor);
        if (Double.isFinite(part.metrics().loss())) {
            try (PtNDArray one = (PtNDArray) scratch.create(1f)) {
                JniUtils.backward(part.loss(), one, false, false);
            }
        }
        return new Part(
                part.metrics(), LogProbabilityGap.of(responses, batch.old().toFloatArray(), width));
    }

    /** The loss sees the log-probabilities alone; what comes back to them goes on through the layers. */
    private Part backward(
            CheckpointedPass pass,
            PtNDManager scratch,
            ResponseBatch batch,
            List<ScoredResponse> responses,
            double divisor) {
        CheckpointedPass.Kept kept = pass.forward(scratch, batch.tokens());
        PtNDArray[] found = pass.logProbabilities(scratch, batch, kept, temperature);
        PtNDArray old = JniUtils.detachGradient(found[0]);
        old.attach(scratch);
        found[0].setRequiresGradient(true);
        PtNDArray[] now = {found[0], old, found[1]};
        JniUtils.setGradMode(true);
        Part part = backward(scratch, grpoBatch(scratch, batch, now, responses), responses, batch.width(), divisor);
        if (Double.isFinite(part.metrics().loss())) {
            try (PtNDArray gradient = found[0].getGradient()) {
                pass.backwardOfLogProbabilities(scratch, batch, kept, gradient, temperature);
            }
            pass.backward(scratch, batch.tokens(), kept);
        }
        return part;
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
        SftBatch tokens = batch.tokens();
        RotaryTables.Pair tables =
                rotary.upTo(Math.toIntExact(tokens.ids().getShape().get(1)));
        List<Object> of = List.of(
                tokens.ids(), tokens.positions(), tokens.sequences(), tokens.where(), tokens.labels(), batch.rows());
        return policy.arguments(of, tables, compute.precision(), temperature);
    }
}
