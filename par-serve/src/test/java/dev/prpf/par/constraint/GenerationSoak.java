package dev.prpf.par.constraint;

import dev.prpf.data.FunctionSpec;
import dev.prpf.par.engine.Decoder;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.InitialScale;
import dev.prpf.par.engine.ModelInit;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.TinyModels;
import dev.prpf.par.generate.Generation;
import dev.prpf.par.generate.GenerationRequest;
import dev.prpf.par.generate.GenerationSettings;
import dev.prpf.par.generate.Generator;
import dev.prpf.par.generate.PrefixState;
import dev.prpf.par.generate.Sampling;
import dev.prpf.par.generate.StoppingCriteria;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.response.ResponseParser;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;

/**
 * Thousands of generations in one process: constrained ones, each parsed, and free ones of all kinds. Prints comma-separated lines to
 * standard error: kind, generations so far, resident MB, unparseable so far, MB of these that the JVM holds (heap, and its code and classes). No test; benchmarks/reasoner/GENERATION.md says how to run it.
 * Argument: generations of each kind.
 */
final class GenerationSoak {
    private static final int ROUND = 40;
    private static final int REPORT = 250 / ROUND * ROUND;
    private static final List<ResponseForm> FORMS = List.of(ResponseForm.values());
    private static final List<FunctionSpec> POOL = List.copyOf(Vocabulary.POOL.functions());

    private final Vocabulary vocabulary;
    private final Decoder[] decoders;
    private final Random random = new Random(3);
    private int unparseable;

    private GenerationSoak(Vocabulary vocabulary, Decoder... decoders) {
        this.vocabulary = vocabulary;
        this.decoders = decoders;
    }

    /** Runs it. */
    public static void main(String[] arguments) throws IOException {
        int count = Integer.parseInt(arguments[0]);
        Path directory = Files.createTempDirectory("soak");
        try (Vocabulary vocabulary = new Vocabulary(directory, true, ConstraintSettings.DEFAULT);
                Decoder llama = decoder(TinyModels.config(vocabulary.width, 160, false));
                Decoder qwen = decoder(TinyModels.qwen35(vocabulary.width, 160))) {
            GenerationSoak soak = new GenerationSoak(vocabulary, llama, qwen);
            System.err.println("kind,generations,resident_mb,unparseable,heap_mb,jvm_mb");
            soak.run("constrained", count, soak::constrained);
            soak.run("free", count, soak::free);
        }
    }

    private static Decoder decoder(DecoderConfig config) {
        try (DecoderWeights weights = ModelInit.random(config, new InitialScale(0.4, 0), 3)) {
            return Decoder.of(weights, Precision.FP32);
        }
    }

    private void run(String kind, int count, java.util.function.IntConsumer round) throws IOException {
        for (int done = 0; done < count; done += ROUND) {
            round.accept(done / ROUND);
            if ((done + ROUND) % REPORT == 0 || done + ROUND >= count) {
                MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
                System.err.printf(
                        Locale.ROOT,
                        "%s,%d,%.1f,%d,%.1f,%.1f%n",
                        kind,
                        done + ROUND,
                        residentBytes() / 1e6,
                        unparseable,
                        memory.getHeapMemoryUsage().getCommitted() / 1e6,
                        memory.getNonHeapMemoryUsage().getCommitted() / 1e6);
            }
        }
    }

    private static long residentBytes() throws IOException {
        return 4096
                * Long.parseLong(Files.readString(Path.of("/proc/self/statm")).split(" ", -1)[1]);
    }

    private long[] prompt() {
        return random.longs(1 + random.nextInt(30), 0, vocabulary.width).toArray();
    }

    private void constrained(int round) {
        ResponseForm form = FORMS.get(round % FORMS.size());
        GenerationRequest request = new GenerationRequest(
                prompt(),
                GenerationRequest.consecutive(random.nextLong(), ROUND),
                null,
                () -> vocabulary.constraints.of(form, POOL));
        Sampling sampling = new Sampling(0.5 + 1.5 * random.nextDouble(), 50 * (round % 2), 1);
        GenerationSettings settings =
                new GenerationSettings(70, sampling, 1, StoppingCriteria.at(List.of(vocabulary.end)), 16);
        for (Generation generation :
                generate(round, request, settings, () -> false).get(0)) {
            String text =
                    vocabulary.text(Arrays.stream(generation.ids()).boxed().toList());
            if (!(ResponseParser.parse(text, form) instanceof ParResponse.Parsed)) {
                unparseable++;
            }
        }
    }

    private List<List<Generation>> generate(
            int round,
            GenerationRequest request,
            GenerationSettings settings,
            java.util.function.BooleanSupplier cancelled) {
        return new Generator(decoders[round % decoders.length]).sample(List.of(request), settings, cancelled);
    }

    /** With penalty, stop texts and every cut; every third round from a prefix, every fourth called off half way. */
    private void free(int round) {
        StoppingCriteria ending =
                new StoppingCriteria(Set.of(vocabulary.end), List.of("\"]", "好"), vocabulary.tokenizer::decodeText);
        GenerationSettings settings = new GenerationSettings(60, new Sampling(1.2, 100, 0.95, 0.01), 1.1, ending, 16);
        AtomicInteger looks = new AtomicInteger();
        int limit = round % 4 == 0 ? 70 : Integer.MAX_VALUE;
        long[] begin = prompt();
        long[] whole =
                LongStream.concat(LongStream.of(begin), LongStream.of(prompt())).toArray();
        List<Long> seeds = GenerationRequest.consecutive(random.nextLong(), ROUND);
        if (round % 3 != 0) {
            generate(
                    round,
                    new GenerationRequest(whole, seeds, null, null),
                    settings,
                    () -> looks.getAndIncrement() > limit);
            return;
        }
        try (PrefixState prefix = new Generator(decoders[round % decoders.length]).prefix(begin)) {
            generate(
                    round,
                    new GenerationRequest(whole, seeds, prefix, null),
                    settings,
                    () -> looks.getAndIncrement() > limit);
        }
    }
}
