package dev.prpf.par.generate;

import static dev.prpf.base.config.Rule.require;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.DecoderFlops;
import dev.prpf.par.generate.Generation.FinishReason;
import dev.prpf.par.generate.SamplingParams.LogitChanges;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Continuous batching (Orca, OSDI 2022): sequences join and leave between forward passes, each with its own length, parameters, seed and
 * constraint. Prompts are prefilled in chunks while other sequences decode, and tenants take turns ({@link PassShares}). Tokens that are known,
 * because a constraint forces them or prompt lookup guesses them, take one pass together. Not thread-safe.
 */
public final class Scheduler implements AutoCloseable {
    private final CausalLm decoder;
    private final SchedulerSettings settings;
    private final KvCache cache;
    private final PrefixCache prefixes;
    private final DecodingStep decoding;
    private final DecoderFlops flops;
    private final Deque<Sequence> waiting = new ArrayDeque<>();
    private final List<RunningSequence> running = new ArrayList<>();
    private long entered;
    private long prefixTokens;
    private long promptTokens;
    private long newTokens;
    private long passes;

    /** Change of a sequence in a step. */
    public sealed interface Event {
        Sequence sequence();

        /** The sequence has new tokens, from {@code begin} on. */
        record Tokens(Sequence sequence, int begin) implements Event {}

        /** The sequence ended; {@link Sequence#generation} has the reason. */
        record Finished(Sequence sequence) implements Event {}

        /** The sequence failed; other sequences continue. */
        record Failed(Sequence sequence, RuntimeException cause) implements Event {}
    }

    /**
     * Counters since the start.
     *
     * @param passes forward passes
     * @param promptTokens of admitted prompts
     * @param prefixTokens of these from the prefix cache
     * @param newTokens generated tokens
     * @param prefixBytes of the prefix cache now
     */
    public record Stats(long passes, long promptTokens, long prefixTokens, long newTokens, long prefixBytes) {}

    /** The caller closes the decoder. */
    public Scheduler(CausalLm decoder, SchedulerSettings settings) {
        this(decoder, settings, System::nanoTime);
    }

    /** @param clock in nanoseconds, for the shares of tenants in a pass */
    Scheduler(CausalLm decoder, SchedulerSettings settings, LongSupplier clock) {
        this.decoder = decoder;
        this.settings = settings;
        cache = new KvCache(decoder, settings.maxSequences(), settings.maxPositions());
        prefixes = new PrefixCache(settings.prefixCacheBytes(), !cache.rewinds());
        decoding = new DecodingStep(decoder, cache, prefixes, settings, new PassShares(clock));
        flops = new DecoderFlops(decoder.config());
    }

    /**
     * Queues a request, which runs from the next step on if there is room.
     *
     * @param timeout after which the sequence ends with its tokens so far ({@link FinishReason#TIMEOUT}); or null
     * @throws PrpfException as {@link CausalLm#check}; 65 for changes of logits outside the vocabulary; 2 for a prompt beyond the scheduler's
     *     positions. Also 2 if it leaves fewer tokens than the constraint's shortest text
     */
    public Sequence add(GenerationRequest request, @Nullable Duration timeout) {
        TokenConstraint constraint = request.newConstraint();
        SamplingParams params = request.params();
        decoder.check(request.prompt(), "the prompt");
        requireKnown(params.changes());
        int length = request.prompt().length();
        int room = Math.min(decoder.config().maxPositions(), cache.capacity()) - length + 1;
        if (room < 1) {
            throw new UsageException("the prompt has " + length + " tokens; a sequence has at most " + cache.capacity()
                    + " positions here");
        }
        int maxNewTokens = Math.min(params.maxNewTokens(), room);
        requireRoom(constraint, maxNewTokens);
        Sequence sequence = new Sequence(decoder.config().vocabularySize(), request, maxNewTokens, constraint);
        if (timeout != null) {
            sequence.expireIn(timeout);
        }
        waiting.add(sequence);
        return sequence;
    }

    private void requireKnown(LogitChanges changes) {
        int vocabulary = decoder.config().vocabularySize();
        for (int id : changes.bias().keySet()) {
            if (id >= vocabulary) {
                throw new InvalidDataException(
                        "logit_bias holds token " + id + "; the vocabulary ends at " + (vocabulary - 1));
            }
        }
    }

    /** Refuses with 2 a constraint with a longer shortest text. */
    static void requireRoom(@Nullable TokenConstraint constraint, int maxNewTokens) {
        if (constraint != null && constraint.shortest() > maxNewTokens) {
            throw new UsageException("max-new-tokens = " + maxNewTokens + ": the shortest response has "
                    + constraint.shortest() + " tokens, its end among them; give it at least as many");
        }
    }

    /** Ends a sequence with its tokens so far ({@link FinishReason#CANCELLED}); no-op if it has ended. The next step reports the end. */
    public void cancel(Sequence sequence) {
        if (!sequence.done()) {
            sequence.end(FinishReason.CANCELLED);
        }
    }

    /** Returns whether no sequence waits or runs. */
    public boolean idle() {
        return waiting.isEmpty() && running.stream().allMatch(RunningSequence::isReported);
    }

    public Stats stats() {
        return new Stats(passes, promptTokens, prefixTokens, newTokens, prefixes.bytes());
    }

    /** Admits waiting sequences, then runs one forward pass over all running ones. */
    public List<Event> step() {
        List<Event> events = new ArrayList<>();
        expire();
        tell(events);
        fill();
        if (!running.isEmpty()) {
            passes++;
            long start = System.nanoTime();
            newTokens += decoding.run(running, events);
            charge((System.nanoTime() - start) / 1e9);
            tell(events);
        }
        return events;
    }

    /** Charges the sequences for a pass: they share its seconds in proportion to their tokens. */
    private void charge(double seconds) {
        int tokens = running.stream()
                .filter(row -> row.held() == 0)
                .mapToInt(RunningSequence::feeds)
                .sum();
        running.forEach(row -> row.charge(flops, seconds / Math.max(1, tokens)));
    }

    private void expire() {
        running.stream().map(RunningSequence::sequence).forEach(Scheduler::expire);
        waiting.forEach(Scheduler::expire);
    }

    private static void expire(Sequence sequence) {
        if (!sequence.done() && sequence.expired()) {
            sequence.end(FinishReason.TIMEOUT);
        }
    }

    private void tell(List<Event> events) {
        waiting.removeIf(sequence -> {
            if (sequence.done()) {
                events.add(new Event.Finished(sequence));
            }
            return sequence.done();
        });
        for (RunningSequence row : running) {
            if (row.sequence().done() && !row.isReported()) {
                RuntimeException cause = row.sequence().failure();
                events.add(
                        cause == null ? new Event.Finished(row.sequence()) : new Event.Failed(row.sequence(), cause));
                row.report();
            }
        }
    }

    /**
     * Fills the rows of ended sequences with waiting ones, or with the last running ones, then fills free rows. With several tenants all sequences
     * enter at the end; those of tenants with few sequences then move ahead.
     */
    private void fill() {
        Set<Sequence.Known> reading = new HashSet<>();
        if (prefixes.keeps() && !waiting.isEmpty()) {
            running.stream()
                    .filter(row -> !row.sequence().done() && row.reads())
                    .forEach(row -> reading.add(row.sequence().known()));
        }
        boolean several = Stream.concat(running.stream().map(RunningSequence::sequence), waiting.stream())
                        .map(Sequence::tenant)
                        .distinct()
                        .count()
                > 1;
        for (int i = running.size() - 1; i >= 0; i--) {
            if (running.get(i).sequence().done()) {
                clear(running.get(i), i);
                Sequence next = several ? null : next(reading);
                if (next != null) {
                    running.set(i, enter(next, i, reading));
                } else {
                    close(i);
                }
            }
        }
        while (running.size() < settings.maxSequences()) {
            Sequence next = next(reading);
            if (next == null) {
                return;
            }
            int row = rowBefore(next.tenant());
            if (row == running.size()) {
                running.add(enter(next, row, reading));
                continue;
            }
            RunningSequence moved = running.get(row);
            moved.moveTo(running.size());
            running.add(moved);
            clear(moved, row);
            running.set(row, enter(next, row, reading));
        }
    }

    /** Returns the row for a new sequence: the first row of a tenant that is busier than the sequence's, or the first free row. */
    private int rowBefore(String tenant) {
        Map<String, Integer> sequences = new HashMap<>(Map.of(tenant, 1));
        running.forEach(row -> sequences.merge(row.sequence().tenant(), 1, Integer::sum));
        int own = Objects.requireNonNull(sequences.get(tenant));
        return IntStream.range(0, running.size())
                .filter(i -> PassShares.isBusy(
                        sequences.getOrDefault(running.get(i).sequence().tenant(), 0), own))
                .findFirst()
                .orElse(running.size());
    }

    /** Moves the last row to the row of an ended sequence. */
    private void close(int i) {
        RunningSequence last = running.remove(running.size() - 1);
        if (i < running.size()) {
            int left = last.row();
            last.moveTo(i);
            running.set(i, last);
            clear(last, left);
        }
    }

    /** Clears a sequence's row. A row may contain NaN unless its last logits were finite. */
    private void clear(RunningSequence of, int row) {
        if (of.finite()) {
            cache.clear(row);
        } else {
            cache.wipe(row);
        }
    }

    /**
     * Returns the first waiting sequence with a prompt that no running one prefills: later it finds the prompt in the prefix cache. Once prefills
     * fill a pass, it must not overtake copies of those prompts. More prompts than the cache holds would be prefilled twice.
     */
    private @Nullable Sequence next(Set<Sequence.Known> reading) {
        Iterator<Sequence> queue = waiting.iterator();
        boolean full = prefixes.keeps() && unread() >= settings.maxBatchedTokens();
        while (queue.hasNext()) {
            Sequence next = queue.next();
            if (!reading.contains(next.known())) {
                queue.remove();
                return next;
            }
            if (full) {
                return null;
            }
        }
        return null;
    }

    /** Returns the number of prompt tokens still to be prefilled. */
    private long unread() {
        return running.stream()
                .filter(row -> !row.sequence().done())
                .mapToLong(RunningSequence::unread)
                .sum();
    }

    private RunningSequence enter(Sequence sequence, int row, Set<Sequence.Known> reading) {
        int known = sequence.params().promptLogprobs()
                ? 0
                : prefixes.load(sequence.tenant(), sequence.keyed(), sequence.prompt().length - 1, cache, row);
        promptTokens += sequence.prompt().length;
        prefixTokens += known;
        sequence.cached(known);
        RunningSequence next = new RunningSequence(sequence, cache, row, settings.promptLookup(), entered++);
        if (prefixes.keeps() && next.reads()) {
            reading.add(sequence.known());
        }
        return next;
    }

    @Override
    public void close() {
        prefixes.close();
        cache.close();
    }

    /**
     * Settings of a {@link Scheduler}.
     *
     * @param maxSequences that run at a time (vLLM's max_num_seqs)
     * @param maxPositions maximum positions of a sequence, prompt and response together, without its last token
     * @param maxBatchedTokens maximum tokens of a forward pass (vLLM's max_num_batched_tokens), without one per sequence; the rest is for chunks
     *     of prompts and known tokens
     * @param prefixCacheBytes of the prefix cache; 0 for none
     * @param jumpForward whether tokens forced by a constraint take one pass together
     * @param promptLookup most tokens in a guess, under greedy decoding; 0 for none
     */
    public record SchedulerSettings(
            int maxSequences,
            int maxPositions,
            int maxBatchedTokens,
            long prefixCacheBytes,
            boolean jumpForward,
            int promptLookup) {
        static final int BATCHED_TOKENS = 1024;
        static final long PREFIX_CACHE_BYTES = 256L << 20;
        static final int PROMPT_LOOKUP = 0;

        public SchedulerSettings {
            require(maxSequences >= 1, "max-sequences", maxSequences, "at least 1");
            require(maxPositions >= 1, "max-positions", maxPositions, "at least 1");
            require(maxBatchedTokens >= 1, "max-batched-tokens", maxBatchedTokens, "at least 1");
            require(prefixCacheBytes >= 0, "prefix-cache-bytes", prefixCacheBytes, "at least 0");
            require(promptLookup >= 0, "prompt-lookup", promptLookup, "at least 0");
        }

        /** Returns the commands' settings. The prefix cache differs: {@link Generator} enlarges it for long prompts, and disables it for unlike ones. */
        public static SchedulerSettings of(int maxSequences, int maxPositions) {
            return of(maxSequences, maxPositions, PREFIX_CACHE_BYTES);
        }

        static SchedulerSettings of(int maxSequences, int maxPositions, long prefixCacheBytes) {
            return new SchedulerSettings(
                    maxSequences, maxPositions, BATCHED_TOKENS, prefixCacheBytes, true, PROMPT_LOOKUP);
        }
    }
}
