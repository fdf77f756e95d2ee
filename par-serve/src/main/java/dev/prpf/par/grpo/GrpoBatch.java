package dev.prpf.par.grpo;

import ai.djl.pytorch.engine.PtNDArray;
import org.jspecify.annotations.Nullable;

/**
 * Responses side by side, B of them with T tokens at most; all arrays float of one type. What stands at masked positions does not matter.
 *
 * @param now log-probabilities under the policy that is trained, (B, T); the loss is differentiated with respect to it
 * @param old log-probabilities under the policy that wrote the responses, (B, T)
 * @param reference log-probabilities under the reference policy, (B, T), or null where β = 0
 * @param mask 1 where a token counts, else 0, (B, T)
 * @param weights importance sampling weights of the tokens (B, T), or null for 1; the KL penalty is not weighted, as in TRL
 * @param advantages of the responses, (B)
 * @param entropies of the policy's distribution at each token in nats, (B, T), for the metrics; null where they are not known
 */
public record GrpoBatch(
        PtNDArray now,
        PtNDArray old,
        @Nullable PtNDArray reference,
        PtNDArray mask,
        @Nullable PtNDArray weights,
        PtNDArray advantages,
        @Nullable PtNDArray entropies) {}
