package dev.prpf.par.generate;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.par.engine.Decoder;
import dev.prpf.par.engine.DecoderScript;
import dev.prpf.par.engine.KvCache;
import dev.prpf.par.engine.TorchRuntime;
import java.nio.LongBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The prompts of a batch on their way into its caches. Each goes through the model once, however many rows have it. */
final class BatchPrompts implements AutoCloseable {
    private final Decoder decoder;
    private final List<Sequence> rows;
    private final long[] prompts;
    private final Prefill prefill;
    private final boolean shared;

    /**
     * Computes the prompts.
     *
     * @param computed of the one prompt that all rows have, which stays the caller's; null to compute it here
     * @param capacity positions the rows will need
     */
    BatchPrompts(Decoder decoder, List<Sequence> rows, @Nullable Prefill computed, int capacity) {
        this.decoder = decoder;
        this.rows = List.copyOf(rows);
        Map<LongBuffer, Long> distinct = new LinkedHashMap<>();
        prompts = rows.stream()
                .mapToLong(
                        row -> distinct.computeIfAbsent(LongBuffer.wrap(row.prompt()), key -> (long) distinct.size()))
                .toArray();
        shared = computed != null;
        if (computed != null) {
            prefill = computed;
        } else {
            List<long[]> own = distinct.keySet().stream().map(LongBuffer::array).toList();
            // where every row has a prompt of its own, these caches become the batch's
            int positions = own.size() == rows.size() ? capacity : longest();
            prefill = Prefill.of(decoder, own, positions);
        }
    }

    /** Tokens of the longest prompt. */
    int longest() {
        return rows.stream().mapToInt(row -> row.prompt().length).max().orElseThrow();
    }

    /** Appends its first token to every row. */
    void chooseFirst(Sampler sampler) {
        try (PtNDManager scratch = TorchRuntime.newManager()) {
            PtNDArray of = Decoder.longs(scratch, prompts, prompts.length);
            PtNDArray[] logits = {prefill.logits()};
            sampler.choose(scratch, rows, DecoderScript.get().tensors(scratch, "select_rows", logits, of)[0]);
        }
    }

    /** Whether the caches that the prompts wrote are those of all rows. */
    boolean areTheRows() {
        return !shared && prefill.caches().rows() == rows.size();
    }

    /**
     * Caches in which rows can be written on, from the longest prompt's end.
     *
     * @param going all rows if the prompts are the rows, else those that are to go on
     */
    KvCache caches(List<Sequence> going, int capacity) {
        if (areTheRows()) {
            return prefill.handOver();
        }
        KvCache caches = new KvCache(decoder, new long[going.size()], capacity);
        long[] into = IntStream.range(0, going.size()).asLongStream().toArray();
        long[] of = going.stream().mapToLong(row -> prompts[rows.indexOf(row)]).toArray();
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
