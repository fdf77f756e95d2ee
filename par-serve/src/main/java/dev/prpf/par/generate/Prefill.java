package dev.prpf.par.generate;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.par.engine.Decoder;
import dev.prpf.par.engine.KvCache;
import dev.prpf.par.engine.TorchRuntime;
import java.util.List;

/** Prompts that went through the model together: what it remembers of each, and its logits for what comes next. */
final class Prefill implements AutoCloseable {
    private final KvCache caches;
    private final PtNDManager memory;
    private final PtNDArray logits;
    private boolean handedOver;

    private Prefill(KvCache caches, PtNDManager memory, PtNDArray logits) {
        this.caches = caches;
        this.memory = memory;
        this.logits = logits;
    }

    /**
     * Prompts of any lengths, padded on the left.
     *
     * @param capacity positions of the caches, at least those of the longest prompt
     */
    static Prefill of(Decoder decoder, List<long[]> prompts, int capacity) {
        int length = prompts.stream().mapToInt(prompt -> prompt.length).max().orElseThrow();
        long[] pads =
                prompts.stream().mapToLong(prompt -> length - prompt.length).toArray();
        long[] input = new long[prompts.size() * length];
        for (int i = 0; i < pads.length; i++) {
            long[] prompt = prompts.get(i);
            System.arraycopy(prompt, 0, input, i * length + (int) pads[i], prompt.length);
        }
        KvCache caches = new KvCache(decoder, pads, capacity);
        PtNDManager memory = TorchRuntime.newManager();
        try {
            return new Prefill(caches, memory, caches.forward(memory, "step", 0, input));
        } catch (RuntimeException e) {
            memory.close();
            caches.close();
            throw e;
        }
    }

    KvCache caches() {
        return caches;
    }

    /** The caches, which are the caller's to close from now on. */
    KvCache handOver() {
        handedOver = true;
        return caches;
    }

    /** (prompts, V) float32. */
    PtNDArray logits() {
        return logits;
    }

    @Override
    public void close() {
        memory.close();
        if (!handedOver) {
            caches.close();
        }
    }
}
