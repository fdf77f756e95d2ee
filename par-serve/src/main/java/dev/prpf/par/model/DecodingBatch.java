package dev.prpf.par.model;

import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.data.run.PrpfException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Prompts decoded together: padded on the left to one length, what the layers remember of them in caches of fixed size that each step writes
 * in place. When half of the rows have ended, the caches shrink to the rows that go on.
 */
final class DecodingBatch implements AutoCloseable {
    private static final Script SCRIPT = DecoderScript.get();
    private static final long[] NOTHING = {};

    private final Decoder decoder;
    private final GenerationSettings settings;
    private final Set<Long> endTokens = new HashSet<>();
    private final int promptLength;
    private final int maxNew;
    private final boolean padded;
    private final TokenMask tokenMask;
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
        final @Nullable TokenConstraint constraint;
        int length;
        boolean ended;

        Row(int place, long[] prompt, int pad, int maxNew, long seed, @Nullable TokenConstraint constraint) {
            this.constraint = constraint;
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
            if (constraint != null) {
                constraint.accept(id);
            }
        }

        int left() {
            return ids.length - length;
        }

        /** Tokens that come next whatever the model says. */
        long[] forced() {
            return constraint == null ? NOTHING : constraint.forced(left());
        }

        long[] allowed(TokenMask mask) {
            if (constraint == null || done()) {
                return mask.everything();
            }
            long[] forced = forced();
            return forced.length > 0 ? mask.only(forced[0]) : constraint.allowed(left());
        }

        boolean done() {
            return ended || length == ids.length;
        }

        Generation generation() {
            return new Generation(Arrays.copyOf(ids, length), Arrays.copyOf(logProbabilities, length), ended);
        }
    }

    DecodingBatch(
            Decoder decoder,
            GenerationSettings settings,
            List<long[]> prompts,
            List<? extends @Nullable TokenConstraint> constraints,
            List<Integer> places) {
        this.decoder = decoder;
        this.settings = settings;
        settings.endTokens().forEach(id -> endTokens.add(id.longValue()));
        promptLength =
                places.stream().mapToInt(i -> prompts.get(i).length).max().orElseThrow();
        // the last new token is never fed back, so it needs no position
        maxNew = Math.min(settings.maxNew(), decoder.config().maxPositions() - promptLength + 1);
        for (int place : places) {
            long[] prompt = prompts.get(place);
            TokenConstraint constraint = constraints.get(place);
            requireRoom(constraint);
            rows.add(new Row(place, prompt, promptLength - prompt.length, maxNew, settings.seed(), constraint));
        }
        tokenMask = new TokenMask(decoder.config().vocabularySize());
        padded = rows.stream().anyMatch(row -> row.pad > 0);
        caches = newCaches();
        pads = padsOf(rows);
    }

    /** Before the first step: nobody waits for a response that cannot end. */
    private void requireRoom(@Nullable TokenConstraint constraint) {
        if (constraint != null && constraint.shortest() > maxNew) {
            throw PrpfException.usage("max-new = " + maxNew + ": the shortest response has " + constraint.shortest()
                    + " tokens, its end among them; give it at least as many");
        }
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
        int at = promptLength;
        while (!retire(results)) {
            int known = sharedForced();
            if (known > 1) {
                advanceForced(at, known);
            } else {
                advance(at, 1);
            }
            at += Math.max(1, known);
        }
    }

    /** Feeds length tokens of every row from position at, and appends one new token to every row that is not done. */
    private void advance(int at, int length) {
        try (PtNDManager scratch = TorchRuntime.newManager()) {
            append(choose(scratch, forward(scratch, "step", at, input(at, length))));
        }
    }

    /** How many next tokens of every row that is not done are known without the model. */
    private int sharedForced() {
        return rows.stream()
                .filter(row -> !row.done())
                .mapToInt(row -> row.forced().length)
                .min()
                .orElse(0);
    }

    /** Feeds the last token of every row and all but the last of its known ones at once, and appends the known ones. */
    private void advanceForced(int at, int length) {
        long[] known = new long[rows.size() * length];
        long[] input = new long[known.length];
        for (int b = 0; b < rows.size(); b++) {
            Row row = rows.get(b);
            input[b * length] = row.ids[row.length - 1];
            if (!row.done()) {
                System.arraycopy(row.forced(), 0, known, b * length, length);
                System.arraycopy(known, b * length, input, b * length + 1, length - 1);
            }
        }
        try (PtNDManager scratch = TorchRuntime.newManager()) {
            PtNDArray logits = forward(scratch, "steps", at, input);
            PtNDArray ids = Decoder.longs(scratch, known, rows.size(), length);
            float[] logProbabilities =
                    SCRIPT.tensor(scratch, "logprobs_of", logits, ids).toFloatArray();
            for (int i = 0; i < known.length; i++) {
                Row row = rows.get(i / length);
                if (!row.done()) {
                    row.draws.next(); // as a step of its own would have: draws do not depend on the batch
                    row.append(known[i], logProbabilities[i], endTokens);
                }
            }
        }
    }

    private PtNDArray forward(PtNDManager scratch, String method, int at, long[] input) {
        int length = input.length / rows.size();
        RotaryTables.Pair tables = decoder.rotary().upTo(promptLength + maxNew);
        return SCRIPT.tensor(
                scratch,
                method,
                Decoder.longs(scratch, input, rows.size(), length),
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
        if (at > 0 && length > 1) {
            return new PtNDArray[] {SCRIPT.tensor(scratch, "several_from_pads", pads, (long) at, (long) length)};
        }
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
        if (rows.stream().allMatch(row -> row.constraint == null)) {
            return draw(scratch, logits);
        }
        long[][] sets = rows.stream().map(row -> row.allowed(tokenMask)).toArray(long[][]::new);
        PtNDArray[] drawn = draw(scratch, tokenMask.applied(scratch, logits, sets));
        return SCRIPT.tensors(scratch, "with_logprobs", logits, drawn[0].expandDims(1));
    }

    private PtNDArray[] draw(PtNDManager scratch, PtNDArray logits) {
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
