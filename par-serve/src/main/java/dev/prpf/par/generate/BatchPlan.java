package dev.prpf.par.generate;

import dev.prpf.par.engine.Decoder;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Which samples are written together: those of prompts of like length, and all of one prompt side by side. */
final class BatchPlan {
    private final int batchSize;
    private final List<Batch> batches = new ArrayList<>();

    /** One sample to write: its seed, and where it goes. */
    record Slot(GenerationRequest request, long seed, int place, int sample) {
        LongBuffer prompt() {
            return LongBuffer.wrap(request.prompt());
        }
    }

    /** Samples of several prompts, as many as are written together; or of one prompt, any number. */
    record Batch(List<Slot> slots) {
        /** As many at a time as are written together. */
        List<List<Slot>> parts(int batchSize) {
            List<List<Slot>> parts = new ArrayList<>();
            for (int from = 0; from < slots.size(); from += batchSize) {
                parts.add(slots.subList(from, Math.min(slots.size(), from + batchSize)));
            }
            return parts;
        }

        GenerationMemory memory(Decoder decoder, GenerationSettings settings) {
            int rows = Math.min(slots.size(), settings.batchSize());
            int prompts = (int) slots.stream().map(Slot::prompt).distinct().count();
            int longest = slots.stream()
                    .mapToInt(slot -> slot.request().prompt().length)
                    .max()
                    .orElseThrow();
            int maxNewTokens =
                    Math.min(settings.maxNewTokens(), decoder.config().maxPositions());
            return GenerationMemory.ofPositions(
                    decoder.shape(), rows, prompts, longest, DecodingBatch.capacity(longest, maxNewTokens));
        }
    }

    BatchPlan(List<GenerationRequest> requests, int batchSize) {
        this.batchSize = batchSize;
        Map<LongBuffer, List<Slot>> prompts = new LinkedHashMap<>();
        for (int place = 0; place < requests.size(); place++) {
            List<Long> seeds = requests.get(place).seeds();
            for (int sample = 0; sample < seeds.size(); sample++) {
                Slot slot = new Slot(requests.get(place), seeds.get(sample), place, sample);
                prompts.computeIfAbsent(slot.prompt(), key -> new ArrayList<>()).add(slot);
            }
        }
        List<List<Slot>> byLength = new ArrayList<>(prompts.values());
        byLength.sort(Comparator.comparingInt(slots -> slots.get(0).request().prompt().length));
        pack(byLength);
    }

    private void pack(List<List<Slot>> prompts) {
        List<Slot> open = new ArrayList<>();
        for (List<Slot> slots : prompts) {
            if (open.size() + slots.size() > batchSize && !open.isEmpty()) {
                batches.add(new Batch(open));
                open = new ArrayList<>();
            }
            open.addAll(slots);
        }
        if (!open.isEmpty()) {
            batches.add(new Batch(open));
        }
    }

    List<Batch> batches() {
        return batches;
    }
}
