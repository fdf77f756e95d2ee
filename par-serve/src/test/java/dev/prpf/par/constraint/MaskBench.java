package dev.prpf.par.constraint;

import dev.prpf.data.FunctionSpec;
import dev.prpf.data.io.FunctionPoolReader;
import dev.prpf.par.bench.KnownShape;
import dev.prpf.par.engine.Decoder;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.ModelInit;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.generate.GenerationRequest;
import dev.prpf.par.generate.GenerationSettings;
import dev.prpf.par.generate.Generator;
import dev.prpf.par.generate.TokenConstraint;
import dev.prpf.par.response.ResponseForm;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Time of the sets of tokens over a made vocabulary of 150,000, and of decoding with them and without: random weights of the 135M shape with
 * that vocabulary. Run its main; prints one line a figure. No test.
 */
final class MaskBench {
    private static final int WIDTH = 150_000;
    private static final int TOKENS = 64;

    private MaskBench() {}

    /** Runs it. */
    public static void main(String[] arguments) {
        long start = System.nanoTime();
        ResponseConstraints constraints = MadeVocabulary.constraints(WIDTH);
        report("build of the tree, once a tokenizer", start, 1);
        List<FunctionSpec> pool = List.copyOf(FunctionPoolReader.shipped().functions());
        start = System.nanoTime();
        constraints.walker(ResponseForm.TEXT, pool);
        report("compilation of the shipped pool", start, 1);
        for (int round = 0; round < 4; round++) {
            responses(constraints, pool, round);
        }
        try (DecoderWeights weights = ModelInit.drawn(shape());
                Decoder decoder = Decoder.of(weights, Precision.BF16)) {
            decoding(decoder, () -> constraints.of(ResponseForm.TEXT, pool));
        }
    }

    private static DecoderConfig shape() {
        DecoderConfig known = KnownShape.SMOLLM2_135M.config();
        return new DecoderConfig(
                known.family(),
                WIDTH,
                known.hiddenSize(),
                known.intermediateSize(),
                known.layerKinds(),
                known.attention(),
                null,
                known.maxPositions(),
                known.normEpsilon(),
                true,
                known.tokens());
    }

    /** In turn, the first round to warm up; a token that the constraint forces costs no step, so steps are drawn without forcing. */
    private static void decoding(Decoder decoder, Supplier<TokenConstraint> constraint) {
        Generator generator = new Generator(decoder);
        for (int batch : new int[] {1, 8}) {
            GenerationSettings settings = GenerationSettings.greedy(TOKENS, List.of(WIDTH - 1), batch);
            for (int round = 0; round < 4; round++) {
                double free = milliseconds(generator, settings, batch, null);
                double bound = milliseconds(generator, settings, batch, () -> new Unforced(constraint.get()));
                System.err.printf(
                        Locale.ROOT, "batch %d, round %d: %.2f ms a step, %.2f with sets%n", batch, round, free, bound);
            }
        }
    }

    private static double milliseconds(
            Generator generator,
            GenerationSettings settings,
            int batch,
            @Nullable Supplier<TokenConstraint> constraint) {
        List<Long> seeds = GenerationRequest.consecutive(1, batch);
        GenerationRequest request = new GenerationRequest(new long[] {1, 2, 3, 4}, seeds, null, constraint);
        long start = System.nanoTime();
        int steps = generator.sample(List.of(request), settings, () -> false).get(0).stream()
                .mapToInt(generation -> generation.ids().length)
                .max()
                .orElseThrow();
        return (System.nanoTime() - start) / 1e6 / steps;
    }

    /** Allows what another allows and never says that a token must come. */
    private record Unforced(TokenConstraint constraint) implements TokenConstraint {
        @Override
        public int shortest() {
            return constraint.shortest();
        }

        @Override
        public long[] forced(int left) {
            return new long[0];
        }

        @Override
        public long[] allowed(int left) {
            return constraint.allowed(left);
        }

        @Override
        public void accept(long token) {
            constraint.accept(token);
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
}
