package dev.prpf.par.training.grpo;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.training.DecoderPass;
import dev.prpf.par.training.ResponseBatch;

/**
 * The frozen model that the KL penalty compares the policy with. It uses the kernel of training, so that it gives exactly the policy's numbers
 * before the first step.
 */
public final class ReferencePolicy implements AutoCloseable {
    private final CausalLm decoder;
    private final boolean shared;
    private final DecoderPass pass;

    private ReferencePolicy(CausalLm decoder, boolean shared) {
        this.decoder = decoder;
        this.shared = shared;
        pass = DecoderPass.of(decoder);
    }

    /** Makes a reference of the frozen weights under a policy's adapters; the caller closes the weights. */
    public static ReferencePolicy sharing(CausalLm base) {
        return new ReferencePolicy(base, true);
    }

    /** Makes a reference with its own copy of the weights and the kernel of training; closed with the reference. */
    public static ReferencePolicy owning(CausalLm decoder) {
        return new ReferencePolicy(decoder, false);
    }

    /** Returns the log-probabilities of the responses' tokens, (B, T). */
    PtNDArray logProbabilities(PtNDManager scratch, ResponseBatch batch, double temperature) {
        try (DecoderPass.Forward forward = pass.forward(scratch, batch.tokens(), false)) {
            return forward.scores(batch, temperature).logProbabilities();
        }
    }

    @Override
    public void close() {
        pass.close();
        if (!shared) {
            decoder.close();
        }
    }
}
