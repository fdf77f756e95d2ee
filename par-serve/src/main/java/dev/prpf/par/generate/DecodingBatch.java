package dev.prpf.par.generate;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.par.engine.Decoder;
import dev.prpf.par.engine.KvCache;
import dev.prpf.par.engine.Script;
import dev.prpf.par.engine.TorchRuntime;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
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
        try (Prompts prompts = new Prompts(decoder, rows, prompt, capacity)) {
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
            float[] logProbabilities =
                    Script.decoder().tensor(scratch, "logprobs_of", logits, ids).toFloatArray();
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

    /** The prompts of a batch on their way into its caches. Each goes through the model once, however many rows have it. */
    private static final class Prompts implements AutoCloseable {
        private final Decoder decoder;
        private final List<Sequence> rows;
        private final long[] prompts;
        private final Prefill prefill;
        private final boolean shared;

        /** @param computed of the one prompt that all rows have, which stays the caller's; null to compute it here */
        Prompts(Decoder decoder, List<Sequence> rows, @Nullable Prefill computed, int capacity) {
            this.decoder = decoder;
            this.rows = List.copyOf(rows);
            Map<LongBuffer, Long> distinct = new LinkedHashMap<>();
            prompts = rows.stream()
                    .mapToLong(row ->
                            distinct.computeIfAbsent(LongBuffer.wrap(row.prompt()), key -> (long) distinct.size()))
                    .toArray();
            shared = computed != null;
            if (computed != null) {
                prefill = computed;
            } else {
                List<long[]> own =
                        distinct.keySet().stream().map(LongBuffer::array).toList();
                // where every row has a prompt of its own, these caches become the batch's
                int positions = own.size() == rows.size() ? capacity : longest();
                prefill = Prefill.of(decoder, own, positions);
            }
        }

        int longest() {
            return rows.stream().mapToInt(row -> row.prompt().length).max().orElseThrow();
        }

        /** Appends its first token to every row. */
        void chooseFirst(Sampler sampler) {
            try (PtNDManager scratch = TorchRuntime.newManager()) {
                PtNDArray of = Decoder.longs(scratch, prompts, prompts.length);
                PtNDArray[] logits = {prefill.logits()};
                sampler.choose(scratch, rows, Script.decoder().tensors(scratch, "select_rows", logits, of)[0]);
            }
        }

        /** Whether the caches that the prompts wrote are those of all rows. */
        boolean areTheRows() {
            return !shared && prefill.caches().rows() == rows.size();
        }

        /** Caches in which rows can be written on from the longest prompt's end: all rows if the prompts are the rows, else any. */
        KvCache caches(List<Sequence> going, int capacity) {
            if (areTheRows()) {
                return prefill.handOver();
            }
            KvCache caches = new KvCache(decoder, new long[going.size()], capacity);
            long[] into = IntStream.range(0, going.size()).asLongStream().toArray();
            long[] of =
                    going.stream().mapToLong(row -> prompts[rows.indexOf(row)]).toArray();
            caches.put(prefill.caches(), into, of, longest());
            return caches;
        }

        @Override
        public void close() {
            if (!shared) {
                prefill.close();
            }
        }
    }
}
