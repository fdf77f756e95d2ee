package dev.prpf.par.generate;

import java.util.Arrays;
import java.util.BitSet;
import java.util.SplittableRandom;

/**
 * Allows half of the tokens, others after every text, and now and then leaves a run of them no choice. Some runs hold an end token, the last of
 * a few fills all that is left.
 */
final class RandomRuns implements TokenConstraint {
    private static final long[] NOTHING = {};

    private final int vocabulary;
    private final int end;
    private long text;
    private long decided;
    private long[] run = NOTHING;
    private int read;

    RandomRuns(long seed, int vocabulary, int end) {
        this.vocabulary = vocabulary;
        this.end = end;
        text = seed;
        decided = seed + 1;
    }

    @Override
    public int shortest() {
        return 1;
    }

    @Override
    public long[] forced(int left) {
        if (read == run.length && decided != text) {
            SplittableRandom random = new SplittableRandom(text);
            boolean fills = left <= 12 && random.nextInt(3) == 0;
            int length = random.nextInt(4) > 0 ? 0 : fills ? left : Math.min(left, 1 + random.nextInt(9));
            run = random.longs(length, 0, vocabulary).toArray();
            read = 0;
            decided = text;
            if (length > 0 && random.nextInt(6) == 0) {
                run[random.nextInt(length)] = end;
            }
        }
        return Arrays.copyOfRange(run, read, run.length);
    }

    @Override
    public long[] allowed(int left) {
        BitSet set = BitSet.valueOf(new long[] {new SplittableRandom(~text).nextLong()});
        set.set((int) Math.floorMod(text, (long) vocabulary));
        set.clear(vocabulary, 64);
        return set.toLongArray();
    }

    @Override
    public void accept(long token) {
        boolean known = read < run.length;
        if (known ? run[read] != token : !BitSet.valueOf(allowed(1)).get((int) token)) {
            throw new IllegalStateException("token " + token + " cannot come here");
        }
        read += known ? 1 : 0;
        text = new SplittableRandom(text * 31 + token).nextLong();
    }
}
