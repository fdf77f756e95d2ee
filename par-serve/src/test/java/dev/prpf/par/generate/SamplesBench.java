package dev.prpf.par.generate;

import dev.prpf.par.engine.Decoder;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * Time of several samples from one long prompt beside that of its parts: one prefill of the prompt, and the same samples from a prefix that
 * is known. No test; benchmarks/reasoner/GENERATION.md says how to run it. Arguments: model directory, dtype, prompt tokens, samples, new
 * tokens, rounds.
 */
final class SamplesBench {
    private static final double NANOS = 1e9;

    private final Generator generator;
    private final long[] prompt;
    private final GenerationSettings settings;

    private SamplesBench(Decoder decoder, int promptTokens, int samples, int maxNewTokens) {
        generator = new Generator(decoder);
        prompt = new Random(1)
                .longs(promptTokens, 100, decoder.config().vocabularySize())
                .toArray();
        settings = GenerationSettings.sampled(maxNewTokens, new Sampling(1, 50, 0.95), List.of(), samples);
    }

    /** Runs it. */
    public static void main(String[] arguments) throws java.io.IOException {
        Path model = Path.of(arguments[0]);
        Precision precision = Precision.valueOf(arguments[1].toUpperCase(Locale.ROOT));
        int[] numbers = List.of(arguments).subList(2, 6).stream()
                .mapToInt(Integer::parseInt)
                .toArray();
        try (Decoder decoder = HuggingFaceDirectory.open(model).decoder(precision)) {
            SamplesBench bench = new SamplesBench(decoder, numbers[0], numbers[1], numbers[2]);
            bench.round(numbers[1]);
            List<double[]> rounds = new ArrayList<>();
            for (int i = 0; i < numbers[3]; i++) {
                rounds.add(bench.round(numbers[1]));
            }
            report(decoder, numbers, rounds);
        }
    }

    private double[] round(int samples) {
        List<GenerationRequest> cold = List.of(GenerationRequest.samples(prompt, samples, 7));
        long start = System.nanoTime();
        PrefixState state = generator.prefix(prompt);
        double prefill = (System.nanoTime() - start) / NANOS;
        try (state) {
            GenerationRequest warm =
                    new GenerationRequest(prompt, GenerationRequest.consecutive(7, samples), state, null);
            start = System.nanoTime();
            generator.sample(List.of(warm), settings, () -> false);
        }
        double decode = (System.nanoTime() - start) / NANOS;
        start = System.nanoTime();
        generator.sample(cold, settings, () -> false);
        double all = (System.nanoTime() - start) / NANOS;
        return new double[] {prefill, decode, all, all / (prefill + decode)};
    }

    private static void report(Decoder decoder, int[] numbers, List<double[]> rounds) throws java.io.IOException {
        System.err.printf(
                Locale.ROOT,
                "%d samples of %d tokens from a prompt of %d, %s: medians of %d rounds%n",
                numbers[1],
                numbers[2],
                numbers[0],
                decoder.precision(),
                rounds.size());
        String[] names = {"one prefill, s", "samples from a known prompt, s", "both in one call, s", "ratio"};
        for (int i = 0; i < names.length; i++) {
            int column = i;
            double[] sorted =
                    rounds.stream().mapToDouble(round -> round[column]).sorted().toArray();
            System.err.printf(
                    Locale.ROOT,
                    "%-32s %.3f (%.3f to %.3f)%n",
                    names[i],
                    sorted[sorted.length / 2],
                    sorted[0],
                    sorted[sorted.length - 1]);
        }
        GenerationMemory reckoned =
                GenerationMemory.of(decoder, numbers[1], 1, numbers[0], DecodingBatch.capacity(numbers[0], numbers[2]));
        System.err.printf(
                Locale.ROOT,
                "reckoned: caches %.3f GB, work %.3f GB%n",
                reckoned.caches() / 1e9,
                reckoned.work() / 1e9);
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmHWM")) {
                System.err.println(line);
            }
        }
    }
}
