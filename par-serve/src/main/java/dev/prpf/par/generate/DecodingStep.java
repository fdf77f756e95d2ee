package dev.prpf.par.generate;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.HostValues;
import dev.prpf.par.engine.Script;
import dev.prpf.par.engine.TokenInputs;
import dev.prpf.par.engine.TorchRuntime;
import dev.prpf.par.generate.Generation.TopLogprobs;
import dev.prpf.par.generate.Scheduler.SchedulerSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/** Runs a forward pass over running sequences and chooses their next tokens. */
final class DecodingStep {
    private static final Script SCRIPT = Script.decoder();

    private final CausalLm decoder;
    private final KvCache cache;
    private final PrefixCache prefixes;
    private final SchedulerSettings settings;
    private final Sampler sampler;
    private final PassShares shares;

    DecodingStep(CausalLm decoder, KvCache cache, PrefixCache prefixes, SchedulerSettings settings, PassShares shares) {
        this.decoder = decoder;
        this.cache = cache;
        this.prefixes = prefixes;
        this.settings = settings;
        this.shares = shares;
        sampler = new Sampler(decoder.config().vocabularySize());
    }

    /** A sequence with logits in this pass: the index of its first logits, and the number of accepted guesses. */
    private static final class Choice {
        private final RunningSequence row;
        private final int first;
        private final int length;
        private int accepted;

        Choice(RunningSequence row, int first) {
            this.row = row;
            this.first = first;
            length = row.sequence().length();
        }

        Sequence sequence() {
            return row.sequence();
        }

        boolean scores() {
            return sequence().params().scores();
        }

        long place() {
            return (long) first + (scores() ? row.forced().length : 0) + accepted;
        }

        /** Returns the index of the sequence's last logits. */
        long last() {
            return (long) first + row.outputs() - 1;
        }

        boolean through() {
            return sequence().done() && sequence().failure() == null;
        }

        /** Appends a forced token. */
        void append(long id, float own) {
            if (!sequence().done()) {
                sequence().draw(); // as in a separate step
                sequence().append(id, own, 0, 0);
            }
        }

        /** Returns whether the chosen token equals the next guess, so that the logits after the guess are used too. */
        boolean guessed() {
            if (sequence().done()
                    || accepted == row.draft().length
                    || sequence().last() != row.draft()[accepted]) {
                return false;
            }
            accepted++;
            return true;
        }
    }

    /** A prompt that is scored during prefill, and the index of its first logits. */
    private record ScoredPrompt(RunningSequence row, int first) {
        void score(PtNDManager scratch, PtNDArray logits) {
            long[] next = row.scoredTokens();
            PtNDArray own = rows(
                    scratch,
                    logits,
                    LongStream.range(first, first + next.length).toArray());
            PtNDArray known = CausalLm.longs(scratch, next, next.length, 1);
            float[] found = HostValues.floats(SCRIPT.tensor(scratch, "logprobs_at", own, known));
            for (float each : found) {
                if (!Sampler.requireNumber(row.sequence(), each)) {
                    return;
                }
            }
            row.sequence()
                    .scorePrompt(
                            found,
                            Sampler.top(scratch, own, row.sequence().params().topLogprobs()));
        }
    }

    /**
     * Runs rows 0, 1, … and returns the number of new tokens. If the pass fails, all sequences fail, because the content of their rows is unknown.
     */
    int run(List<RunningSequence> rows, List<Scheduler.Event> events) {
        List<Choice> choices = new ArrayList<>();
        try {
            pass(rows, choices);
        } catch (RuntimeException e) {
            rows.forEach(row -> row.abandon(e));
        }
        int written = 0;
        for (Choice choice : choices) {
            int more = choice.sequence().length() - choice.length;
            written += more;
            if (more > 0) {
                events.add(new Scheduler.Event.Tokens(choice.sequence(), choice.length));
            }
        }
        return written;
    }

    private void pass(List<RunningSequence> rows, List<Choice> choices) {
        plan(rows);
        int fed = rows.size();
        while (fed > 0 && rows.get(fed - 1).held() > 0) {
            fed--;
        }
        if (fed > 0) {
            shares.planned();
            forward(rows.subList(0, fed), choices);
            shares.end();
        }
        choices.forEach(choice -> choice.row.settle(choice.accepted));
        rows.stream().filter(row -> row.held() > 0).forEach(row -> row.settle(0));
        rows.forEach(row -> row.keep(prefixes));
    }

    private void forward(List<RunningSequence> rows, List<Choice> choices) {
        try (PtNDManager scratch = TorchRuntime.newManager()) {
            List<ScoredPrompt> prompts = new ArrayList<>();
            PtNDArray logits = forward(scratch, rows, choices, prompts);
            prompts.forEach(prompt -> prompt.score(scratch, logits));
            jump(scratch, choices, logits);
            List<Choice> open =
                    choices.stream().filter(choice -> !choice.sequence().done()).toList();
            while (!open.isEmpty()) {
                long[] places = open.stream().mapToLong(Choice::place).toArray();
                List<Sequence> sequences = open.stream().map(Choice::sequence).toList();
                sampler.choose(scratch, sequences, rows(scratch, logits, places));
                open = open.stream().filter(Choice::guessed).toList();
            }
            checkFinalLogitsFinite(scratch, choices, logits);
            TorchRuntime.synchronise();
        }
    }

    /** Plans the tokens of the pass. Tenants take turns; the oldest prompt of a tenant is prefilled first. */
    private void plan(List<RunningSequence> rows) {
        boolean blocks = prefixes.keeps() && !cache.rewinds();
        int budget = Math.max(0, settings.maxBatchedTokens() - rows.size());
        for (RunningSequence row : shares.begin(rows, budget)) {
            String tenant = row.sequence().tenant();
            if (!shares.prepare(row)) {
                row.hold();
                continue;
            }
            row.plan(1 + Math.min(Math.max(0, budget), shares.room(tenant)), blocks, settings.jumpForward());
            int more = row.feeds() - 1;
            budget -= more;
            shares.spend(tenant, more);
        }
    }

    private PtNDArray forward(
            PtNDManager scratch, List<RunningSequence> rows, List<Choice> choices, List<ScoredPrompt> prompts) {
        TokenInputs inputs = new TokenInputs();
        List<Long> outputs = new ArrayList<>();
        long at = 0;
        for (RunningSequence row : rows) {
            row.feed(inputs);
            if (row.scored() > 0) {
                prompts.add(new ScoredPrompt(row, outputs.size()));
                LongStream.range(at, at + row.scored()).forEach(outputs::add);
            }
            at += row.feeds();
            if (row.chooses()) {
                choices.add(new Choice(row, outputs.size()));
            }
            for (int k = row.outputs(); k > 0; k--) {
                outputs.add(at - k);
            }
        }
        return cache.forward(
                scratch,
                new KvCache.Input(
                        inputs.embeddings(decoder, scratch),
                        inputs.positions(scratch),
                        inputs.counts(),
                        outputs.stream().mapToLong(Long::longValue).toArray()));
    }

    private static PtNDArray rows(PtNDManager scratch, PtNDArray logits, long[] places) {
        boolean all = places.length == logits.getShape().get(0);
        return all ? logits : SCRIPT.tensor(scratch, "rows_of", logits, CausalLm.longs(scratch, places, places.length));
    }

    /** Appends the forced tokens, which were known before the pass. */
    private static void jump(PtNDManager scratch, List<Choice> choices, PtNDArray logits) {
        List<Long> places = new ArrayList<>();
        List<Long> ids = new ArrayList<>();
        for (Choice choice : choices) {
            for (int i = 0; i < choice.row.forced().length; i++) {
                if (choice.scores()) {
                    places.add((long) choice.first + i);
                    ids.add(choice.row.forced()[i]);
                } else {
                    choice.append(choice.row.forced()[i], Float.NaN);
                }
            }
        }
        if (ids.isEmpty()) {
            return;
        }
        long[] at = places.stream().mapToLong(Long::longValue).toArray();
        PtNDArray known =
                CausalLm.longs(scratch, ids.stream().mapToLong(Long::longValue).toArray(), at.length, 1);
        float[] own = HostValues.floats(SCRIPT.tensor(scratch, "logprobs_at", rows(scratch, logits, at), known));
        int next = 0;
        for (Choice choice : choices) {
            List<TopLogprobs> top = likeliest(scratch, choice, logits);
            for (int i = 0; choice.scores() && i < choice.row.forced().length; i++, next++) {
                if (Sampler.requireNumber(choice.sequence(), own[next])) {
                    if (!top.isEmpty() && !choice.sequence().done()) {
                        choice.sequence().likeliest(top.get(i));
                    }
                    choice.append(choice.row.forced()[i], own[next]);
                }
            }
        }
    }

    /** Returns the likeliest tokens at the positions of the forced ones. */
    private static List<TopLogprobs> likeliest(PtNDManager scratch, Choice choice, PtNDArray logits) {
        int forced = choice.row.forced().length;
        int wanted = choice.sequence().params().topLogprobs();
        return forced == 0 || wanted == 0
                ? List.of()
                : Sampler.top(
                        scratch,
                        rows(
                                scratch,
                                logits,
                                LongStream.range(choice.first, choice.first + forced)
                                        .toArray()),
                        wanted);
    }

    /**
     * Checks the final logits of finished rows for NaN: forced tokens and guesses may end a sequence before these are read. Skipped for a window,
     * which hides earlier positions from the last logits in part.
     */
    private void checkFinalLogitsFinite(PtNDManager scratch, List<Choice> choices, PtNDArray logits) {
        List<Choice> through = choices.stream().filter(Choice::through).toList();
        if (through.isEmpty() || !cache.seesAll()) {
            return;
        }
        long[] last = through.stream().mapToLong(Choice::last).toArray();
        PtNDArray any = CausalLm.longs(scratch, new long[last.length], last.length, 1);
        float[] found = HostValues.floats(SCRIPT.tensor(scratch, "logprobs_at", rows(scratch, logits, last), any));
        for (int i = 0; i < last.length; i++) {
            if (Float.isFinite(found[i])) {
                through.get(i).row.markFinite();
            }
        }
    }
}
