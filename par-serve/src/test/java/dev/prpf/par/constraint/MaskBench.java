package dev.prpf.par.constraint;

import dev.prpf.data.FunctionSpec;
import dev.prpf.data.io.FunctionPoolReader;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.tokenizer.WrittenToken;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;

/** Time of the sets of tokens over a made vocabulary of 150,000: run its main; prints one line a figure. No test. */
final class MaskBench {
    private static final int WIDTH = 150_000;
    private static final String[] SCRAPS = {
        "a", "e", "ing", "tion", " the", "\"", "\":\"", "},", "]", "[{", "0", "12", "的", "我们", "，", "<", "/", "_",
        "name", " "
    };

    private MaskBench() {}

    /** Runs it. */
    public static void main(String[] arguments) {
        long start = System.nanoTime();
        ResponseConstraints constraints = new ResponseConstraints(
                vocabulary(), WIDTH, List.of(WIDTH - 1), ConstraintSettings.DEFAULT, text -> new long[0]);
        report("build of the tree, once a tokenizer", start, 1);
        List<FunctionSpec> pool = List.copyOf(FunctionPoolReader.shipped().functions());
        start = System.nanoTime();
        constraints.walker(ResponseForm.TEXT, pool);
        report("compilation of the shipped pool", start, 1);
        for (int round = 0; round < 4; round++) {
            responses(constraints, pool, round);
        }
    }

    private static void responses(ResponseConstraints constraints, List<FunctionSpec> pool, int round) {
        Random random = new Random(round);
        long nanos = 0;
        long worst = 0;
        int steps = 0;
        for (int i = 0; i < 20; i++) {
            ResponseConstraint constraint = constraints.walker(ResponseForm.TEXT, pool);
            for (int left = 200; left > 0 && !constraint.state().complete(); left--) {
                long start = System.nanoTime();
                long[] allowed = constraint.allowed(left);
                long taken = System.nanoTime() - start;
                nanos += taken;
                worst = Math.max(worst, taken);
                steps++;
                BitSet set = BitSet.valueOf(allowed);
                int token = set.nextSetBit(random.nextInt(WIDTH));
                constraint.accept(token >= 0 ? token : set.nextSetBit(0));
            }
        }
        System.err.printf(
                Locale.ROOT,
                "round %d: %d steps, mean %.3f ms, worst %.3f ms a step%n",
                round,
                steps,
                nanos / 1e6 / steps,
                worst / 1e6);
    }

    private static void report(String what, long start, int times) {
        System.err.printf(Locale.ROOT, "%s: %.1f ms%n", what, (System.nanoTime() - start) / 1e6 / times);
    }

    private static List<WrittenToken> vocabulary() {
        List<WrittenToken> tokens = new ArrayList<>();
        for (int b = 0; b < 256; b++) {
            tokens.add(new WrittenToken(b, new byte[] {(byte) b}));
        }
        Random random = new Random(1);
        Set<String> seen = new HashSet<>();
        while (tokens.size() < WIDTH - 1) {
            StringBuilder text = new StringBuilder();
            for (int i = 2 + random.nextInt(4); i > 0; i--) {
                text.append(
                        random.nextInt(3) > 0
                                ? String.valueOf((char) ('a' + random.nextInt(26)))
                                : SCRAPS[random.nextInt(SCRAPS.length)]);
            }
            if (seen.add(text.toString())) {
                tokens.add(new WrittenToken(tokens.size(), text.toString().getBytes(StandardCharsets.UTF_8)));
            }
        }
        return tokens;
    }
}
