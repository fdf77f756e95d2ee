package dev.prpf.par.generate;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.par.engine.Decoder;
import dev.prpf.par.engine.DecoderScript;
import dev.prpf.par.engine.KvCache;
import dev.prpf.par.engine.Script;
import dev.prpf.par.engine.TorchRuntime;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The prompts of a batch on their way into its caches. Each goes through the model once, however many rows have it, and from the end of its
 * prefix on, if it has one.
 */
final class BatchPrompts implements AutoCloseable {
    private static final Script SCRIPT = DecoderScript.get();

    private final Decoder decoder;
    private final int longest;
    private final int rows;
    private final List<Group> groups = new ArrayList<>();

    /** Prompts that go through the model together; those that go on from a prefix are of one length. */
    private record Kind(@Nullable PrefixState prefix, int length) {
        static Kind of(Sequence row) {
            PrefixState prefix = row.request().prefix();
            return new Kind(prefix, prefix == null ? 0 : row.prompt().length);
        }

        boolean isPrefixAlone() {
            return prefix != null && prefix.length() == length;
        }
    }

    /** Rows and, for each of them, which of the group's prompts it has. */
    private record Group(Kind kind, Prefill prefill, List<Sequence> rows, long[] prompts) {}

    /**
     * Computes the prompts.
     *
     * @param longest positions of the longest prompt
     * @param capacity positions the rows will need
     */
    BatchPrompts(Decoder decoder, List<Sequence> rows, int longest, int capacity) {
        this.decoder = decoder;
        this.rows = rows.size();
        this.longest = longest;
        Map<Kind, List<Sequence>> kinds = new LinkedHashMap<>();
        rows.forEach(row ->
                kinds.computeIfAbsent(Kind.of(row), kind -> new ArrayList<>()).add(row));
        try {
            kinds.forEach((kind, members) -> groups.add(group(kind, members, capacity)));
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private Group group(Kind kind, List<Sequence> members, int capacity) {
        Map<LongBuffer, Long> prompts = new LinkedHashMap<>();
        long[] of = members.stream()
                .mapToLong(row -> prompts.computeIfAbsent(LongBuffer.wrap(row.prompt()), key -> (long) prompts.size()))
                .toArray();
        List<long[]> distinct = prompts.keySet().stream().map(LongBuffer::array).toList();
        return new Group(kind, prefill(kind, distinct, capacity), members, of);
    }

    private Prefill prefill(Kind kind, List<long[]> prompts, int capacity) {
        if (kind.prefix() == null) {
            // where every row has a prompt of its own, these caches become the batch's
            int own = prompts.stream().mapToInt(prompt -> prompt.length).max().orElseThrow();
            return Prefill.of(decoder, prompts, prompts.size() == rows ? capacity : own);
        }
        return kind.isPrefixAlone() ? kind.prefix().prefill() : Prefill.after(kind.prefix(), decoder, prompts);
    }

    /** Appends its first token to every row. */
    void chooseFirst(Sampler chooser) {
        for (Group group : groups) {
            try (PtNDManager scratch = TorchRuntime.newManager()) {
                PtNDArray prompts = Decoder.longs(scratch, group.prompts(), group.prompts().length);
                PtNDArray[] logits = {group.prefill().logits()};
                chooser.choose(scratch, group.rows(), SCRIPT.tensors(scratch, "select_rows", logits, prompts)[0]);
            }
        }
    }

    /** Whether every row has a prompt of its own and none a prefix: the caches that the prompts wrote are then those of all rows. */
    boolean areTheRows() {
        return groups.size() == 1
                && groups.get(0).kind().prefix() == null
                && groups.get(0).prefill().caches().rows() == rows;
    }

    /**
     * Caches in which rows can be written on, from the longest prompt's end.
     *
     * @param going all rows if the prompts are the rows, else those that are to go on
     */
    KvCache caches(List<Sequence> going, int capacity) {
        if (areTheRows()) {
            return groups.get(0).prefill().handOver();
        }
        KvCache caches = new KvCache(decoder, new long[going.size()], capacity);
        for (Group group : groups) {
            int[] members = IntStream.range(0, group.rows().size())
                    .filter(i -> going.contains(group.rows().get(i)))
                    .toArray();
            long[] into = Arrays.stream(members)
                    .mapToLong(i -> going.indexOf(group.rows().get(i)))
                    .toArray();
            long[] of =
                    Arrays.stream(members).mapToLong(i -> group.prompts()[i]).toArray();
            caches.put(group.prefill().caches(), into, of, longest);
        }
        return caches;
    }

    @Override
    public void close() {
        groups.stream().filter(group -> !group.kind().isPrefixAlone()).forEach(group -> group.prefill()
                .close());
    }
}
