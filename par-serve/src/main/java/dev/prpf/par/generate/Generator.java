package dev.prpf.par.generate;

import dev.prpf.base.error.PrpfException;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.FreeMemory;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Continues prompts, several at a time, each computed once however often it is continued, as far as the prefix cache reaches. */
public final class Generator {
    private final CausalLm decoder;
    private final LongUnaryOperator freeMemory;

    /** The decoder stays the caller's to close. */
    public Generator(CausalLm decoder) {
        this(decoder, FreeMemory::bytes);
    }

    Generator(CausalLm decoder, LongUnaryOperator freeMemory) {
        this.decoder = decoder;
        this.freeMemory = freeMemory;
    }

    /**
     * Continues each prompt once; the order of the results is that of the prompts. Draws, if there are any, are those of the seeds 0, 1, 2,
     * ….
     *
     * @param prompts token ids, each at least one
     * @return one generation a prompt; {@code maxNewTokens} is cut where the model's positions end
     * @throws PrpfException as {@link #sample}
     */
    public List<Generation> generate(List<long[]> prompts, GenerationSettings settings) {
        return generate(prompts, settings, Collections.nCopies(prompts.size(), null));
    }

    /**
     * The same, each prompt's continuation kept to what its constraint allows. A constraint decides which tokens may come; among these the
     * model and the sampling decide.
     *
     * @param constraints one a prompt, null for none; each is used up
     * @throws PrpfException as {@link #sample}
     */
    public List<Generation> generate(
            List<long[]> prompts, GenerationSettings settings, List<? extends @Nullable TokenConstraint> constraints) {
        List<GenerationRequest> requests = IntStream.range(0, prompts.size())
                .mapToObj(i -> request(prompts.get(i), i, constraints.get(i)))
                .toList();
        return sample(requests, settings, () -> false).stream()
                .map(samples -> samples.get(0))
                .toList();
    }

    private static GenerationRequest request(long[] prompt, long seed, @Nullable TokenConstraint constraint) {
        Supplier<TokenConstraint> supplier = constraint == null ? null : () -> constraint;
        return new GenerationRequest(prompt, List.of(seed), supplier);
    }

    /**
     * Continues each prompt as often as it has seeds. A prompt goes through the model once, also one that several requests have.
     *
     * @param cancelled looked at before each step; once it says so, what is not done ends as it is ({@link FinishReason#CANCELLED})
     * @return for each request one generation a seed; {@code maxNewTokens} is cut where the model's positions end
     * @throws PrpfException 65 for a prompt that is empty, too long or holds a foreign id, or a picture of another model's features, 2 if the tokens that a prompt leaves are fewer
     *     than its constraint's shortest text, 3 if a batch would not fit into the free memory; each before the first step
     */
    public List<List<Generation>> sample(
            List<GenerationRequest> requests, GenerationSettings settings, BooleanSupplier cancelled) {
        if (requests.isEmpty()) {
            return List.of();
        }
        for (int i = 0; i < requests.size(); i++) {
            check(requests.get(i), i, settings.params());
        }
        int samples =
                requests.stream().mapToInt(request -> request.seeds().size()).sum();
        int longest = requests.stream()
                .mapToInt(request -> request.prompt().length)
                .max()
                .orElseThrow();
        int positions = GenerationMemory.positions(
                decoder.config(), longest, settings.params().maxNewTokens());
        int rows = Math.min(samples, settings.batchSize());
        long prefixes = prefixBytes(requests, longest);
        GenerationMemory memory = GenerationMemory.of(decoder.shape(), rows, longest, positions, prefixes);
        memory.requireWithin(freeMemory.applyAsLong(memory.bytes()));
        try (Scheduler scheduler = new Scheduler(decoder, SchedulerSettings.of(rows, positions, prefixes))) {
            return run(scheduler, requests, settings.params(), cancelled);
        }
    }

    /** For the beginnings of prompts: as much as all their blocks take, up to a bound; nothing where none serves twice. */
    private long prefixBytes(List<GenerationRequest> requests, int longest) {
        if (!alike(requests)) {
            return 0;
        }
        int blocks = requests.stream()
                .map(request -> LongBuffer.wrap(request.keyed()))
                .distinct()
                .mapToInt(prompt -> PrefixCache.blocks(prompt.remaining()))
                .sum();
        return Math.min(
                GenerationMemory.prefixBytes(decoder.shape(), longest),
                GenerationMemory.caches(decoder.shape(), blocks, PrefixCache.BLOCK));
    }

    /** Whether a prompt is continued several times, or two begin with the same block of tokens. */
    static boolean alike(List<GenerationRequest> requests) {
        return requests.stream().anyMatch(request -> request.seeds().size() > 1)
                || requests.stream()
                                .map(request -> PrefixCache.firstBlock(request.keyed()))
                                .distinct()
                                .count()
                        < requests.size();
    }

    private static List<List<Generation>> run(
            Scheduler scheduler, List<GenerationRequest> requests, SamplingParams params, BooleanSupplier cancelled) {
        List<List<Sequence>> sequences = new ArrayList<>(Collections.nCopies(requests.size(), List.of()));
        IntStream.range(0, requests.size())
                .boxed()
                .sorted(Comparator.comparingInt(i -> requests.get(i).prompt().length))
                .forEach(i -> sequences.set(i, add(scheduler, requests.get(i), params)));
        while (!scheduler.idle()) {
            if (cancelled.getAsBoolean()) {
                sequences.forEach(all -> all.forEach(scheduler::cancel));
            }
            for (Scheduler.Event event : scheduler.step()) {
                if (event instanceof Scheduler.Event.Failed failed) {
                    throw failed.cause();
                }
            }
        }
        return sequences.stream()
                .map(all -> all.stream().map(Sequence::generation).toList())
                .toList();
    }

    private static List<Sequence> add(Scheduler scheduler, GenerationRequest request, SamplingParams params) {
        return request.seeds().stream()
                .map(seed -> scheduler.add(request, params, seed, null))
                .toList();
    }

    private static @Nullable TokenConstraint constraint(GenerationRequest request) {
        return request.constraint() == null ? null : request.constraint().get();
    }

    private void check(GenerationRequest request, int place, SamplingParams params) {
        decoder.checkIds(request.prompt(), "prompt " + place);
        decoder.checkPictures(request.prompt(), request.pictures(), "prompt " + place);
        int room = decoder.config().maxPositions() - request.prompt().length + 1;
        Scheduler.requireRoom(constraint(request), Math.min(params.maxNewTokens(), room));
    }
}
