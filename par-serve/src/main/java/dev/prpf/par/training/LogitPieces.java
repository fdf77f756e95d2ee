package dev.prpf.par.training;

import dev.prpf.par.engine.DecoderConfig;
import java.util.ArrayList;
import java.util.List;

/** Supervised rows cut so that the logits of a piece stay small whatever the vocabulary. */
public final class LogitPieces {
    /** Floats of logits at a time: 64 MB. */
    private static final int LOGITS = 1 << 24;

    private static final int FEWEST_ROWS = 32;

    /**
     * Rows.
     *
     * @param begin the first
     * @param end the one behind the last
     */
    public record Piece(long begin, long end) {}

    private LogitPieces() {}

    /** For a decoder's vocabulary. */
    public static List<Piece> of(DecoderConfig config, SftBatch batch) {
        return of(chunkSize(config), batch);
    }

    /** Rows whose logits are computed at once. */
    public static int chunkSize(DecoderConfig config) {
        return Math.max(FEWEST_ROWS, LOGITS / config.vocabularySize());
    }

    /** Of {@code chunkSize} rows each; the last has what is left. */
    static List<Piece> of(int chunkSize, SftBatch batch) {
        long rows = batch.labels().getShape().get(0);
        List<Piece> pieces = new ArrayList<>();
        for (long begin = 0; begin < rows; begin += chunkSize) {
            pieces.add(new Piece(begin, Math.min(rows, begin + chunkSize)));
        }
        return pieces;
    }
}
