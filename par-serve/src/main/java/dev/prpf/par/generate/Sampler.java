package dev.prpf.par.generate;

import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.par.engine.Decoder;
import dev.prpf.par.engine.Script;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;

/** Chooses the next token of each row: repetition penalty, constraint, then the likeliest or a draw. */
final class Sampler {
    private static final Script SCRIPT = Script.decoder();

    private final GenerationSettings settings;
    private final TokenMask mask;

    Sampler(GenerationSettings settings, int vocabulary) {
        this.settings = settings;
        mask = new TokenMask(vocabulary);
    }

    /**
     * Appends one token to every row.
     *
     * @param logits (B, V) float32, the model's own
     */
    void choose(PtNDManager scratch, List<Sequence> rows, PtNDArray logits) {
        PtNDArray left = constrained(scratch, rows, penalised(scratch, rows, logits));
        PtNDArray[] drawn = draw(scratch, rows, left);
        long[] ids = drawn[0].toLongArray();
        float[] sampling = drawn[1].toFloatArray();
        float[] policy = uncut(scratch, left, drawn);
        float[] own = SCRIPT.tensor(scratch, "logprobs_at", logits, drawn[0]).toFloatArray();
        for (int b = 0; b < ids.length; b++) {
            if (Float.isNaN(own[b])) {
                throw Decoder.noNumbers();
            }
            rows.get(b).append(ids[b], own[b], sampling[b], policy[b]);
        }
    }

    /** Log-probabilities at the temperature, as if nothing had been cut off; where nothing was, those that were drawn with. */
    private float[] uncut(PtNDManager scratch, PtNDArray logits, PtNDArray[] drawn) {
        Sampling sampling = settings.sampling();
        if (sampling == null || !sampling.cuts()) {
            return drawn[1].toFloatArray();
        }
        return SCRIPT.tensor(scratch, "tempered_logprobs_at", logits, drawn[0], sampling.temperature())
                .toFloatArray();
    }

    private PtNDArray penalised(PtNDManager scratch, List<Sequence> rows, PtNDArray logits) {
        double penalty = settings.repetitionPenalty();
        if (penalty == 1) {
            return logits;
        }
        long[][] seen = rows.stream().map(row -> row.seen().toLongArray()).toArray(long[][]::new);
        return mask.penalised(scratch, logits, seen, penalty);
    }

    private PtNDArray constrained(PtNDManager scratch, List<Sequence> rows, PtNDArray logits) {
        if (rows.stream().allMatch(row -> row.constraint() == null)) {
            return logits;
        }
        return mask.applied(scratch, logits, rows.stream().map(this::allowed).toArray(long[][]::new));
    }

    private long[] allowed(Sequence row) {
        if (row.constraint() == null) {
            return mask.everything();
        }
        long[] forced = row.forced();
        return forced.length > 0 ? mask.only(forced[0]) : row.constraint().allowed(row.left());
    }

    /** Tokens (B, 1) and the log-probabilities (B, 1) they had among those that could be drawn. */
    private PtNDArray[] draw(PtNDManager scratch, List<Sequence> rows, PtNDArray logits) {
        Sampling sampling = settings.sampling();
        if (sampling == null) {
            return SCRIPT.tensors(scratch, "greedy", logits);
        }
        double[] draws = rows.stream().mapToDouble(Sequence::draw).toArray();
        return SCRIPT.tensors(
                scratch,
                "sample",
                logits,
                scratch.create(draws, new Shape(draws.length, 1)),
                sampling.temperature(),
                (long) sampling.topK(),
                sampling.topP(),
                sampling.minP());
    }

    /** The sets of tokens that the rows of a batch may write next, on their way to the logits: a bit a token. */
    static final class TokenMask {
        private static final byte[] POWERS = {1, 2, 4, 8, 16, 32, 64, (byte) 128};

        private final int words;
        private final long[] everything;

        TokenMask(int vocabulary) {
            words = (vocabulary + Long.SIZE - 1) / Long.SIZE;
            everything = new long[words];
            Arrays.fill(everything, -1L);
        }

        /** The set of a row that no constraint binds. */
        long[] everything() {
            return everything;
        }

        long[] only(long token) {
            long[] set = new long[words];
            set[(int) (token / Long.SIZE)] = 1L << token;
            return set;
        }

        /** The logits, (B, V) float32, with all tokens outside of the rows' sets far below every other. */
        PtNDArray applied(PtNDManager scratch, PtNDArray logits, long[][] sets) {
            return Script.decoder().tensor(scratch, "masked", logits, packed(scratch, sets), powers(scratch));
        }

        /** The logits, (B, V) float32, with the tokens of the rows' sets less likely; a set's last words may be left out where they are 0. */
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
