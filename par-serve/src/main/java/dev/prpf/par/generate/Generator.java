package dev.prpf.par.generate;

import static dev.prpf.base.config.Rule.require;

import dev.prpf.base.error.PrpfException;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.FreeMemory;
import dev.prpf.par.generate.Generation.FinishReason;
import dev.prpf.par.generate.Scheduler.SchedulerSettings;
import java.nio.LongBuffer;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongUnaryOperator;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;

/** Generates responses to prompts in batches. Each prompt is prefilled once, as far as the prefix cache reaches. */
public final class Generator {
    private final CausalLm decoder;
    private final LongUnaryOperator freeMemory;

    /** The caller closes the decoder. */
    public Generator(CausalLm decoder) {
        this(decoder, FreeMemory::bytes);
    }

    Generator(CausalLm decoder, LongUnaryOperator freeMemory) {
        this.decoder = decoder;
        this.freeMemory = freeMemory;
    }

    /**
     * Generates the response of each request. A prompt goes through the model once, also if several requests have it.
     *
     * @param rows responses generated together
     * @param cancelled checked before each step; once true, unfinished responses end with what they have ({@link FinishReason#CANCELLED})
     * @return one generation per request, in order; {@code maxNewTokens} ends at the model's positions
     * @throws PrpfException as {@link CausalLm#check}; 2 if a prompt leaves fewer tokens than its constraint's shortest text; 3 for a batch
     *     beyond the free memory. All of them before the first step
     */
    public List<Generation> generate(List<GenerationRequest> requests, int rows, BooleanSupplier cancelled) {
        if (requests.isEmpty()) {
            return List.of();
        }
        List<GenerationRequest> prompts =
                requests.stream().map(request -> request.withSeed(0)).distinct().toList();
        for (int i = 0; i < prompts.size(); i++) {
            check(prompts.get(i), "prompt " + i);
        }
        int longest = most(prompts, request -> request.prompt().length());
        int positions = GenerationMemory.positions(decoder.config(), longest, most(prompts, request -> request.params()
                .maxNewTokens()));
        int together = Math.min(requests.size(), rows);
        long prefixes = alike(requests) ? prefixBytes(prompts, longest) : 0;
        GenerationMemory memory = GenerationMemory.of(decoder.shape(), together, longest, positions, prefixes);
        memory.requireWithin(freeMemory.applyAsLong(memory.bytes()));
        try (Scheduler scheduler = new Scheduler(decoder, SchedulerSettings.of(together, positions, prefixes))) {
            return run(scheduler, requests, cancelled);
        }
    }

    private static int most(List<GenerationRequest> requests, ToIntFunction<GenerationRequest> size) {
        return requests.stream().mapToInt(size).max().orElseThrow();
    }

    /** Returns the bytes that all blocks of the prompts take, up to a bound. */
    private long prefixBytes(List<GenerationRequest> prompts, int longest) {
        int blocks = prompts.stream()
                .map(request -> LongBuffer.wrap(request.prompt().keyed()))
                .distinct()
                .mapToInt(prompt -> PrefixCache.blocks(prompt.remaining()))
                .sum();
        return Math.min(
                GenerationMemory.prefixBytes(decoder.shape(), longest),
                GenerationMemory.caches(decoder.shape(), blocks, PrefixCache.BLOCK));
    }

    /** Returns whether two requests begin with the same block of tokens. */
    static boolean alike(List<GenerationRequest> requests) {
        return requests.stream()
                        .map(request -> PrefixCache.firstBlock(request.prompt().keyed()))
                        .distinct()
                        .count()
                < requests.size();
    }

    private static List<Generation> run(
            Scheduler scheduler, List<GenerationRequest> requests, BooleanSupplier cancelled) {
        Sequence[] sequences = new Sequence[requests.size()];
        IntStream.range(0, requests.size())
                .boxed()
                .sorted(Comparator.comparingInt(i -> requests.get(i).prompt().length()))
                .forEach(i -> sequences[i] = scheduler.add(requests.get(i), null));
        while (!scheduler.idle()) {
            if (cancelled.getAsBoolean()) {
                Arrays.stream(sequences).forEach(scheduler::cancel);
            }
            for (Scheduler.Event event : scheduler.step()) {
                if (event instanceof Scheduler.Event.Failed failed) {
                    throw failed.cause();
                }
            }
        }
        return Arrays.stream(sequences).map(Sequence::generation).toList();
    }

    private void check(GenerationRequest request, String name) {
        decoder.check(request.prompt(), name);
        int room = decoder.config().maxPositions() - request.prompt().length() + 1;
        Scheduler.requireRoom(request.newConstraint(), Math.min(request.params().maxNewTokens(), room));
    }

    /**
     * Settings for generating responses to prompts.
     *
     * @param params of every prompt
     * @param batchSize responses generated together
     */
    public record GenerationSettings(SamplingParams params, int batchSize) {
        public GenerationSettings {
            require(batchSize >= 1, "batchSize", batchSize, "at least 1");
        }

        /** Returns settings for greedy decoding. */
        public static GenerationSettings greedy(int maxNewTokens, List<Integer> endTokens, int batchSize) {
            return new GenerationSettings(SamplingParams.greedy(maxNewTokens, endTokens), batchSize);
        }

        /** Returns these settings without log-probabilities, for callers that read only the text. */
        public GenerationSettings withoutLogprobs() {
            SamplingParams silent = new SamplingParams(
                    params.maxNewTokens(),
                    params.sampling(),
                    params.repetitionPenalty(),
                    params.ending(),
                    false,
                    0,
                    false,
                    params.changes());
            return new GenerationSettings(silent, batchSize);
        }
    }
}
