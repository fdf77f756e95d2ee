package dev.prpf.par.generate;

import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.HostValues;
import dev.prpf.par.engine.Script;
import dev.prpf.par.generate.Generation.TopLogprobs;
import dev.prpf.par.generate.SamplingParams.Sampling;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Chooses the next token of each row: repetition penalty, changes of the logits, constraint, then argmax or a draw. */
final class Sampler {
    private static final Script SCRIPT = Script.decoder();

    /** Result columns: token id; log-probability under the model; as sampled; before truncation. */
    private static final int COLUMNS = 4;

    /** Placeholder for greedy rows; ignored by the script. */
    private static final Sampling ANY = new Sampling(1, 0, 1);

    private final TokenMask mask;

    Sampler(int vocabulary) {
        mask = new TokenMask(vocabulary);
    }

    /** Parameters shared by the rows of one call. */
    private record Group(@Nullable Sampling sampling, double repetitionPenalty, boolean scores, int top) {
        static Group of(Sequence row) {
            return new Group(
                    row.params().sampling(),
                    row.params().repetitionPenalty(),
                    row.params().scores(),
                    row.params().topLogprobs());
        }
    }

    /**
     * Appends one token to every row; a row with NaN logits fails.
     *
     * @param logits (B, V) float32, the model's own
     */
    void choose(PtNDManager scratch, List<Sequence> rows, PtNDArray logits) {
        Map<Group, List<Integer>> groups = new LinkedHashMap<>();
        for (int i = 0; i < rows.size(); i++) {
            groups.computeIfAbsent(Group.of(rows.get(i)), key -> new ArrayList<>())
                    .add(i);
        }
        if (groups.size() == 1) {
            chooseAlike(scratch, rows, logits);
            return;
        }
        groups.values().forEach(places -> {
            long[] of = places.stream().mapToLong(Integer::longValue).toArray();
            PtNDArray own = SCRIPT.tensor(scratch, "rows_of", logits, CausalLm.longs(scratch, of, of.length));
            chooseAlike(scratch, places.stream().map(rows::get).toList(), own);
        });
    }

    private void chooseAlike(PtNDManager scratch, List<Sequence> rows, PtNDArray logits) {
        Sampling sampling = rows.get(0).params().sampling();
        PtNDArray left = constrained(scratch, rows, shifted(scratch, rows, penalised(scratch, rows, logits)));
        double[] draws = rows.stream().mapToDouble(Sequence::draw).toArray();
        Sampling drawn = sampling == null ? ANY : sampling;
        double[] chosen = HostValues.doubles(SCRIPT.tensor(
                scratch,
                "chosen",
                logits,
                left,
                scratch.create(draws, new Shape(draws.length, 1)),
                sampling == null,
                rows.get(0).params().scores(),
                drawn.temperature(),
                (long) drawn.topK(),
                drawn.topP(),
                drawn.minP()));
        List<TopLogprobs> likeliest = top(scratch, logits, rows.get(0).params().topLogprobs());
        for (int b = 0; b < draws.length; b++) {
            int at = b * COLUMNS;
            if (rows.get(b).failure() == null && requireNumber(rows.get(b), chosen[at + 1])) {
                float own = rows.get(b).params().scores() ? (float) chosen[at + 1] : Float.NaN;
                if (!likeliest.isEmpty()) {
                    rows.get(b).likeliest(likeliest.get(b));
                }
                rows.get(b).append((long) chosen[at], own, (float) chosen[at + 2], (float) chosen[at + 3]);
            }
        }
    }

    /** Returns whether a log-probability is finite; if not, fails the sequence. */
    static boolean requireNumber(Sequence sequence, double logProbability) {
        if (!Double.isFinite(logProbability)) {
            sequence.fail(CausalLm.noNumbers());
            return false;
        }
        return true;
    }

    private PtNDArray penalised(PtNDManager scratch, List<Sequence> rows, PtNDArray logits) {
        double penalty = rows.get(0).params().repetitionPenalty();
        if (penalty == 1) {
            return logits;
        }
        long[][] seen = rows.stream().map(row -> row.seen().toLongArray()).toArray(long[][]::new);
        return mask.penalised(scratch, logits, seen, penalty);
    }

    private static PtNDArray shifted(PtNDManager scratch, List<Sequence> rows, PtNDArray logits) {
        List<Long> places = new ArrayList<>();
        List<Double> values = new ArrayList<>();
        for (int b = 0; b < rows.size(); b++) {
            long begin = b * logits.getShape().get(1);
            rows.get(b).shifts().forEach((id, value) -> {
                places.add(begin + id);
                values.add(value);
            });
        }
        if (places.isEmpty()) {
            return logits;
        }
        long[] at = places.stream().mapToLong(Long::longValue).toArray();
        float[] added = new float[at.length];
        for (int i = 0; i < added.length; i++) {
            added[i] = values.get(i).floatValue();
        }
        return SCRIPT.tensor(
                scratch, "shifted", logits, CausalLm.longs(scratch, at, at.length), (PtNDArray) scratch.create(added));
    }

    /** Returns the likeliest tokens of each row under the model itself; empty for 0. */
    static List<TopLogprobs> top(PtNDManager scratch, PtNDArray logits, int wanted) {
        if (wanted == 0) {
            return List.of();
        }
        int rows = (int) logits.getShape().get(0);
        int width = (int) Math.min(wanted, logits.getShape().get(1));
        double[] found = HostValues.doubles(SCRIPT.tensor(scratch, "top_logprobs", logits, (long) width));
        return IntStream.range(0, rows)
                .mapToObj(row -> TopLogprobs.of(found, row, width))
                .toList();
    }

    private PtNDArray constrained(PtNDManager scratch, List<Sequence> rows, PtNDArray logits) {
        if (rows.stream().allMatch(row -> row.constraint() == null)) {
            return logits;
        }
        return mask.applied(scratch, logits, rows.stream().map(this::allowed).toArray(long[][]::new));
    }

    private long[] allowed(Sequence row) {
        long[] forced = row.forced();
        return forced.length > 0 ? mask.only(forced[0]) : row.allowed(mask.everything());
    }

    /** The allowed next tokens of the rows of a batch, one bit per token, as tensors. */
    static final class TokenMask {
        private static final byte[] POWERS = {1, 2, 4, 8, 16, 32, 64, (byte) 128};

        private final int words;
        private final long[] everything;

        TokenMask(int vocabulary) {
            words = (vocabulary + Long.SIZE - 1) / Long.SIZE;
            everything = new long[words];
            Arrays.fill(everything, -1L);
        }

        /** Returns the set of a row without constraint. */
        long[] everything() {
            return everything;
        }

        long[] only(long token) {
            long[] set = new long[words];
            set[(int) (token / Long.SIZE)] = 1L << token;
            return set;
        }

        /** Returns the logits, (B, V) float32, with all tokens outside of the rows' sets masked. */
        PtNDArray applied(PtNDManager scratch, PtNDArray logits, long[][] sets) {
            return Script.decoder().tensor(scratch, "masked", logits, packed(scratch, sets), powers(scratch));
        }

        /** Returns the logits, (B, V) float32, with the tokens of the rows' sets penalised. Trailing words of a set may be omitted if they are 0. */
        PtNDArray penalised(PtNDManager scratch, PtNDArray logits, long[][] sets, double penalty) {
            return Script.decoder()
                    .tensor(scratch, "penalised", logits, packed(scratch, sets), powers(scratch), penalty);
        }

        private PtNDArray packed(PtNDManager scratch, long[][] sets) {
            int bytesOfOne = words * Long.BYTES;
            ByteBuffer bytes =
                    ByteBuffer.allocateDirect(sets.length * bytesOfOne).order(ByteOrder.LITTLE_ENDIAN);
            for (int i = 0; i < sets.length; i++) {
                bytes.position(i * bytesOfOne).asLongBuffer().put(sets[i]);
            }
            return scratch.create(bytes.rewind(), new Shape(sets.length, bytesOfOne), DataType.UINT8);
        }

        private static PtNDArray powers(PtNDManager scratch) {
            ByteBuffer powers =
                    ByteBuffer.allocateDirect(POWERS.length).put(POWERS).rewind();
            return scratch.create(powers, new Shape(POWERS.length), DataType.UINT8);
        }
    }
}
