package dev.prpf.par.generate;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.par.engine.Decoder;
import dev.prpf.par.engine.DecoderScript;
import dev.prpf.par.engine.KvCache;
import dev.prpf.par.engine.TorchRuntime;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Responses written together, one token a step; each leaves as soon as it is done. */
final class DecodingBatch implements AutoCloseable {
    private final Decoder decoder;
    private final Sampler sampler;
    private final List<Sequence> rows;
    private final @Nullable Prefill prompt;
    private @Nullable KvCache caches;

    /** @param prompt what was computed of the one prompt that all rows have; null for none */
    DecodingBatch(Decoder decoder, GenerationSettings settings, List<Sequence> rows, @Nullable Prefill prompt) {
        this.decoder = decoder;
        this.rows = new ArrayList<>(rows);
        this.prompt = prompt;
        sampler = new Sampler(settings, decoder.config().vocabularySize());
    }

    /** Positions that a cache needs: the last new token is never fed back, so it needs none. */
    static int capacity(int longestPrompt, int maxNewTokens) {
        return Math.addExact(longestPrompt, maxNewTokens - 1);
    }

    /** Writes to the end, or until it is called off. */
    void run(BooleanSupplier cancelled) {
        if (cancelled.getAsBoolean()) {
            return;
        }
        int at = begin();
        while (caches != null && !rows.isEmpty() && !cancelled.getAsBoolean()) {
            int known = sharedForced();
            if (known > 1) {
                advanceForced(caches, at, known);
            } else {
                advance(caches, at);
            }
            at += Math.max(1, known);
            leave(caches);
        }
    }

    /** Computes the prompts and each row's first token; returns the position that comes next. */
    private int begin() {
        int maxNewTokens = rows.stream().mapToInt(Sequence::maxNewTokens).max().orElseThrow();
        int longest = rows.stream().mapToInt(row -> row.prompt().length).max().orElseThrow();
        int capacity = capacity(longest, maxNewTokens);
        try (BatchPrompts prompts = new BatchPrompts(decoder, rows, prompt, capacity)) {
            prompts.chooseFirst(sampler);
            if (!prompts.areTheRows()) {
                rows.removeIf(Sequence::done);
            }
            if (rows.stream().anyMatch(row -> !row.done())) {
                caches = prompts.caches(rows, capacity);
                leave(caches);
            }
        }
        return longest;
    }

    /** Feeds the last token of every row. */
    private void advance(KvCache into, int at) {
        try (PtNDManager scratch = TorchRuntime.newManager()) {
            long[] input = rows.stream().mapToLong(Sequence::last).toArray();
            sampler.choose(scratch, rows, into.forward(scratch, "step", at, input));
        }
    }

    /** How many next tokens of every row are known without the model. */
    private int sharedForced() {
        return rows.stream().mapToInt(row -> row.forced().length).min().orElse(0);
    }

    /** Feeds the last token of every row and all but the last of its known ones at once, and appends the known ones. */
    private void advanceForced(KvCache into, int at, int length) {
        long[] known = new long[rows.size() * length];
        long[] input = new long[known.length];
        for (int b = 0; b < rows.size(); b++) {
            System.arraycopy(rows.get(b).forced(), 0, known, b * length, length);
            input[b * length] = rows.get(b).last();
            System.arraycopy(known, b * length, input, b * length + 1, length - 1);
        }
        try (PtNDManager scratch = TorchRuntime.newManager()) {
            PtNDArray logits = into.forward(scratch, "steps", at, input);
            PtNDArray ids = Decoder.longs(scratch, known, rows.size(), length);
            float[] logProbabilities = DecoderScript.get()
                    .tensor(scratch, "logprobs_of", logits, ids)
                    .toFloatArray();
            for (int i = 0; i < known.length; i++) {
                Sequence row = rows.get(i / length);
                if (!row.done()) {
                    row.draw(); // as a step of its own would have: draws do not depend on the batch
                    row.append(known[i], logProbabilities[i], 0, 0);
                }
            }
        }
    }

    /** From the end, since the last row takes the place of one that leaves. */
    private void leave(KvCache from) {
        for (int b = rows.size() - 1; b >= 0; b--) {
            if (rows.get(b).done()) {
                int last = rows.size() - 1;
                rows.set(b, rows.get(last));
                rows.remove(last);
                from.drop(b);
            }
        }
    }

    @Override
    public void close() {
        if (caches != null) {
            caches.close();
        }
    }
}
