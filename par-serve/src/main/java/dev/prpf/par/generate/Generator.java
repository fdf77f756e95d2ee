package dev.prpf.par.generate;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UsageException;
import dev.prpf.par.engine.Decoder;
import dev.prpf.par.engine.FreeMemory;
import java.util.Collections;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Continues prompts, several at a time, each computed once however often it is continued. */
public final class Generator {
    private final Decoder decoder;
    private final LongSupplier freeMemory;

    /** The decoder stays the caller's to close. */
    public Generator(Decoder decoder) {
        this(decoder, FreeMemory::bytes);
    }

    Generator(Decoder decoder, LongSupplier freeMemory) {
        this.decoder = decoder;
        this.freeMemory = freeMemory;
    }

    /**
     * Continues each prompt once. Prompts of like length share a batch; the order of the results is that of the prompts. Draws, if there
     * are any, are those of the seeds 0, 1, 2, ….
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
     * @throws PrpfException 65 for a prompt that is empty, too long or holds a foreign id, 2 if the tokens that a prompt leaves are fewer
     *     than its constraint's shortest text, 3 if a batch would not fit into the free memory; each before the first step
     */
    public List<List<Generation>> sample(
            List<GenerationRequest> requests, GenerationSettings settings, BooleanSupplier cancelled) {
        for (int i = 0; i < requests.size(); i++) {
            check(requests.get(i), i, settings);
        }
        BatchPlan plan = new BatchPlan(requests, settings.batchSize());
        long free = freeMemory.getAsLong();
        plan.batches().forEach(batch -> batch.memory(decoder, settings).requireWithin(free));
        List<Generation[]> samples = requests.stream()
                .map(request -> new Generation[request.seeds().size()])
                .toList();
        for (BatchPlan.Batch batch : plan.batches()) {
            run(batch, settings, cancelled, samples);
        }
        return samples.stream().map(List::of).toList();
    }

    private void check(GenerationRequest request, int place, GenerationSettings settings) {
        decoder.checkIds(request.prompt(), "prompt " + place);
        int maxNewTokens = maxNewTokens(request, settings);
        if (request.constraint() != null) {
            int shortest = request.constraint().get().shortest();
            if (shortest > maxNewTokens) {
                throw new UsageException("max-new-tokens = " + maxNewTokens + ": the shortest response has " + shortest
                        + " tokens, its end among them; give it at least as many");
            }
        }
    }

    /** The last new token is never fed back, so it needs no position. */
    private int maxNewTokens(GenerationRequest request, GenerationSettings settings) {
        return Math.min(settings.maxNewTokens(), decoder.config().maxPositions() - request.prompt().length + 1);
    }

    /** More rows of one prompt than a batch takes share what was computed of it. */
    private void run(
            BatchPlan.Batch batch, GenerationSettings settings, BooleanSupplier cancelled, List<Generation[]> samples) {
        List<List<BatchPlan.Slot>> parts = batch.parts(settings.batchSize());
        if (parts.size() == 1 || cancelled.getAsBoolean()) {
            parts.forEach(part -> decode(part, null, settings, cancelled, samples));
            return;
        }
        long[] prompt = batch.slots().get(0).request().prompt();
        try (Prefill computed = Prefill.of(decoder, List.of(prompt), prompt.length)) {
            parts.forEach(part -> decode(part, computed, settings, cancelled, samples));
        }
    }

    private void decode(
            List<BatchPlan.Slot> slots,
            @Nullable Prefill prompt,
            GenerationSettings settings,
            BooleanSupplier cancelled,
            List<Generation[]> samples) {
        List<Sequence> rows = slots.stream()
                .map(slot ->
                        new Sequence(slot.request(), slot.seed(), settings, maxNewTokens(slot.request(), settings)))
                .toList();
        try (DecodingBatch batch = new DecodingBatch(decoder, settings, rows, prompt)) {
            batch.run(cancelled);
        }
        for (int i = 0; i < rows.size(); i++) {
            BatchPlan.Slot slot = slots.get(i);
            samples.get(slot.place())[slot.sample()] = rows.get(i).generation();
        }
    }
}
