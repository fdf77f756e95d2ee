package dev.prpf.par.model;

import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Prompts decoded together: padded on the left to one length, what the layers remember of them in caches of fixed size that each step writes
 * in place. When half of the rows have ended, the caches shrink to the rows that go on.
 */
final class DecodingBatch implements AutoCloseable {
    private static final Script SCRIPT = DecoderScript.get();

    private final Decoder decoder;
    private final GenerationSettings settings;
    private final Set<Long> endTokens = new HashSet<>();
    private final int promptLength;
    private final int maxNew;
    private final boolean padded;
    private List<Row> rows = new ArrayList<>();
    private PtNDManager memory = TorchRuntime.newManager();
    private PtNDArray[] caches;
    private PtNDArray pads;

    /** One prompt and what has been written after it. */
    private static final class Row {
        final int place;
        final long[] prompt;
        final int pad;
        final UniformDraws draws;
        final long[] ids;
        final float[] logProbabilities;
        int length;
        boolean ended;

        Row(int place, long[] prompt, int pad, int maxNew, long seed) {
            this.place = place;
            this.prompt = prompt;
            this.pad = pad;
            this.draws = new UniformDraws(seed, place);
            this.ids = new long[maxNew];
            this.logProbabilities = new float[maxNew];
        }

        void append(long id, float logProbability, Set<Long> endTokens) {
            ids[length] = id;
            logProbabilities[length++] = logProbability;
            ended = endTokens.contains(id);
        }

        boolean done() {
            return ended || length == ids.length;
        }

        Generation generation() {
            return new Generation(Arrays.copyOf(ids, length), Arrays.copyOf(logProbabilities, length), ended);
        }
    }

    DecodingBatch(Decoder decoder, GenerationSettings settings, List<long[]> prompts, List<Integer> places) {
        this.decoder = decoder;
        this.settings = settings;
        settings.endTokens().forEach(id -> endTokens.add(id.longValue()));
        promptLength =
                places.stream().mapToInt(i -> prompts.get(i).length).max().orElseThrow();
        // the last new token is never fed back, so it needs no position
        maxNew = Math.min(settings.maxNew(), decoder.config().maxPositions() - promptLength + 1);
        for (int place : places) {
            long[] prompt = prompts.get(place);
            rows.add(new Row(place, prompt, promptLength - prompt.length, maxNew, settings.seed()));
        }
        padded = rows.stream().anyMatch(row -> row.pad > 0);
        caches = newCaches();
        pads = padsOf(rows);
    }

    private PtNDArray[] newCaches() {
        long length = promptLength + maxNew - 1L;
        return SCRIPT.tensors(
                memory,
                "new_caches",
                decoder.fused(),
                (long) rows.size(),
                length,
                decoder.config().dims());
    }

    private PtNDArray padsOf(List<Row> of) {
        return Decoder.longs(memory, of.stream().mapToLong(row -> row.pad).toArray(), of.size());
    }

    /** Decodes to the end and puts each row's generation at its prompt's place. */
    void run(Generation[] results) {
        advance(0, promptLength);
        for (int at = promptLength; !retire(results); at++) {
            advance(at, 1);
        }
    }

    /** Feeds length tokens of every row from position at, and appends one new token to every row that is not done. */
    private void advance(int at, int length) {
        RotaryTables.Pair tables = decoder.rotary().upTo(promptLength + maxNew);
        try (PtNDManager scratch = TorchRuntime.newManager()) {
            PtNDArray logits = SCRIPT.tensor(
                    scratch,
                    "step",
                    Decoder.longs(scratch, input(at, length), rows.size(), length),
                    Decoder.longs(scratch, positions(at, length), rows.size(), length),
                    decoder.fused(),
                    tables.cosines(),
                    tables.sines(),
                    mask(scratch, at, length),
                    Arrays.copyOf(caches, caches.length / 2),
                    Arrays.copyOfRange(caches, caches.length / 2, caches.length),
                    (long) at,
                    decoder.config().dims(),
                    decoder.config().normEpsilon());
            append(choose(scratch, logits));
        }
    }

    private long[] input(int at, int length) {
        long[] input = new long[rows.size() * length];
        for (int b = 0; b < rows.size(); b++) {
            Row row = rows.get(b);
            if (at == 0) {
                System.arraycopy(row.prompt, 0, input, b * length + row.pad, row.prompt.length);
            } else {
                input[b] = row.ids[row.length - 1];
            }
        }
        return input;
    }

    private long[] positions(int at, int length) {
        long[] positions = new long[rows.size() * length];
        for (int b = 0; b < rows.size(); b++) {
            for (int t = 0; t < length; t++) {
                positions[b * length + t] = Math.max(0, at + t - rows.get(b).pad);
            }
        }
        return positions;
    }

    private PtNDArray[] mask(PtNDManager scratch, int at, int length) {
        if (!padded) {
            return Decoder.NO_ARRAYS;
        }
        if (at > 0) {
            return new PtNDArray[] {SCRIPT.tensor(scratch, "from_pads", pads, (long) at + length)};
        }
        return new PtNDArray[] {
            SCRIPT.tensor(scratch, "left_padded", pads, (long) length),
            SCRIPT.tensor(scratch, "kept", pads, (long) length, decoder.fused())
        };
    }

    private PtNDArray[] choose(PtNDManager scratch, PtNDArray logits) {
        Sampling sampling = settings.sampling();
        if (sampling == null) {
            return SCRIPT.tensors(scratch, "greedy", logits);
        }
        double[] draws = rows.stream().mapToDouble(row -> row.draws.next()).toArray();
        PtNDArray uniform = (PtNDArray) scratch.create(draws, new Shape(draws.length, 1));
        return SCRIPT.tensors(
                scratch, "sample", logits, uniform, sampling.temperature(), (long) sampling.topK(), sampling.topP());
    }

    private void append(PtNDArray[] idsAndLogProbabilities) {
        long[] ids = idsAndLogProbabilities[0].toLongArray();
        float[] logProbabilities = idsAndLogProbabilities[1].toFloatArray();
        for (int b = 0; b < rows.size(); b++) {
            if (!rows.get(b).done()) {
                rows.get(b).append(ids[b], logProbabilities[b], endTokens);
            }
        }
    }

    /** Hands over the rows that are done once they are half of the batch; true when none is left. */
    private boolean retire(Generation[] results) {
        List<Integer> going = new ArrayList<>();
        for (int b = 0; b < rows.size(); b++) {
            if (!rows.get(b).done()) {
                going.add(b);
            }
        }
        if (going.size() * 2 > rows.size()) {
            return false;
        }
        rows.stream().filter(Row::done).forEach(row -> results[row.place] = row.generation());
        if (!going.isEmpty() && going.size() < rows.size()) {
            keep(going);
        }
        return going.isEmpty();
    }

    private void keep(List<Integer> going) {
        rows = new ArrayList<>(going.stream().map(rows::get).toList());
        PtNDManager smaller = TorchRuntime.newManager();
        PtNDArray index = Decoder.longs(
                smaller, going.stream().mapToLong(Integer::longValue).toArray(), going.size());
        caches = SCRIPT.tensors(smaller, "select_rows", caches, index);
        memory.close();
        memory = smaller;
        pads = padsOf(rows);
    }

    @Override
    public void close() {
        memory.close();
    }
}
