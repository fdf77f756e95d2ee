package dev.prpf.par.constraint;

import dev.prpf.data.FunctionSpec;
import dev.prpf.par.prompt.ChatMl;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.tokenizer.Tokenizer;
import dev.prpf.par.tokenizer.WrittenToken;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Responses of random allowed tokens that call functions with open objects: heap in use, states and time of the sets of tokens. Prints
 * comma-separated lines to standard error. No test; benchmarks/reasoner/GENERATION.md says how to run it. Arguments: a pool of {@link
 * OpenPools}, generations, and a tokenizer's directory or the size of a made vocabulary.
 */
final class OpenObjectSoak {
    private static final int MAX_TOKENS = 300;

    private final ResponseConstraints constraints;
    private final int end;
    private final RandomModel model = new RandomModel(3, true);
    private long nanos;
    private long worst;
    private int sets;

    private OpenObjectSoak(ResponseConstraints constraints, int end) {
        this.constraints = constraints;
        this.end = end;
    }

    /** Runs it. */
    public static void main(String[] arguments) {
        List<FunctionSpec> pool = OpenPools.named(arguments[0]);
        int count = Integer.parseInt(arguments[1]);
        if (arguments[2].chars().allMatch(Character::isDigit)) {
            int width = Integer.parseInt(arguments[2]);
            new OpenObjectSoak(MadeVocabulary.constraints(width), width - 1).run(pool, count);
            return;
        }
        try (Tokenizer tokenizer = Tokenizer.load(Path.of(arguments[2]))) {
            int end = Math.toIntExact(tokenizer.controlToken(ChatMl.END));
            int width = 1
                    + tokenizer.writtenTokens(Set.of()).stream()
                            .mapToInt(WrittenToken::id)
                            .reduce(end, Math::max);
            ResponseConstraints constraints =
                    ResponseConstraints.of(tokenizer, width, List.of(end), ConstraintSettings.DEFAULT);
            new OpenObjectSoak(constraints, end).run(pool, count);
        }
    }

    private void run(List<FunctionSpec> pool, int count) {
        System.err.println("generations,sets,heap_mb,states,states_made,mean_ms,worst_ms");
        for (int done = 1; done <= count; done++) {
            write(constraints.walker(ResponseForm.BARE, pool));
            if (done == 20 || done == 200 || done % 500 == 0 || done == count) {
                report(done);
            }
        }
    }

    private void write(ResponseConstraint constraint) {
        long token = -1;
        for (int left = MAX_TOKENS; token != end; left--) {
            long[] forced = constraint.forced(left);
            token = forced.length > 0 ? forced[0] : model.any(timed(constraint, left));
            constraint.accept(token);
        }
    }

    private long[] timed(ResponseConstraint constraint, int left) {
        long start = System.nanoTime();
        long[] allowed = constraint.allowed(left);
        long taken = System.nanoTime() - start;
        nanos += taken;
        worst = Math.max(worst, taken);
        sets++;
        return allowed;
    }

    private void report(int done) {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        System.err.printf(
                Locale.ROOT,
                "%d,%d,%.1f,%d,%d,%.3f,%.1f%n",
                done,
                sets,
                (runtime.totalMemory() - runtime.freeMemory()) / 1e6,
                constraints.states().kept(),
                constraints.states().made(),
                nanos / 1e6 / sets,
                worst / 1e6);
    }
}
