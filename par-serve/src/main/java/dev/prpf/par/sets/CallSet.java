package dev.prpf.par.sets;

import dev.prpf.base.error.InvalidConfigurationException;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.Trajectory;
import dev.prpf.data.calls.CallRecord;
import dev.prpf.mpp.CandidatePool;
import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.prompt.PromptRenderer;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.prompt.ScreenTexts;
import dev.prpf.par.response.ReasoningMode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Function-calling records as prompts, samples and one pool. A record's prompt shows its own functions; the request stands where a
 * sample's trace does. In the pool a name means one function: of records that define it differently, those that come later are left out.
 *
 * @param train at least one
 * @param test at least one; shares no function and no request with {@code train}
 * @param pool of the functions of both
 * @param counts of the records that were taken and left out
 */
public record CallSet(List<Entry> train, List<Entry> test, FunctionPool pool, Counts counts) {
    public CallSet {
        train = List.copyOf(train);
        test = List.copyOf(test);
    }

    /** A record as an SFT pair, and as a sample with all valid answers. */
    public record Entry(SftRecord record, Sample sample) {}

    /**
     * Records that were taken and left out.
     *
     * @param records read
     * @param overLong left out for their prompts' length
     * @param manyAnswers left out for the number of sequences that are right
     * @param conflicting left out because a record before has another function of the same name
     * @param longest tokens of the longest prompt, those left out among them
     */
    public record Counts(int records, int overLong, int manyAnswers, int conflicting, int longest) {}

    /**
     * Makes the sets.
     *
     * @param records in an order that decides which of two conflicting ones stays
     * @param tokenizer of the model that is to read the prompts; stays the caller's
     * @throws PrpfException 65 for an id that stands twice, or when a side of the split is empty; 78 for prompts that ask for predicted
     *     scenes or reasoning, of which such records have none
     */
    public static CallSet build(
            List<CallRecord> records, PromptSettings prompt, CallSetSettings settings, ChatTokenizer tokenizer) {
        if (prompt.scenes() || prompt.reasoning() != ReasoningMode.NONE) {
            throw new InvalidConfigurationException(
                    "prompt.scenes = " + prompt.scenes() + ", prompt.reasoning = " + prompt.reasoning()
                            + ": function-calling records have neither; set scenes to false and reasoning to none");
        }
        requireApart(records);
        Making making = new Making(prompt, settings, tokenizer);
        List<CallRecord> taken = records.stream().filter(making::take).toList();
        Set<String> held = heldOut(taken, settings.testShare(), settings.seed());
        List<Entry> train = new ArrayList<>();
        List<Entry> test = new ArrayList<>();
        for (CallRecord record : taken) {
            boolean out = held.contains(record.id());
            (out ? test : train).add(making.entry(record, out ? "test" : "train"));
        }
        if (train.isEmpty() || test.isEmpty()) {
            throw new InvalidDataException("of " + records.size() + " records " + taken.size() + " can be taken ("
                    + making.counts(records.size()) + "), " + train.size() + " to train on and " + test.size()
                    + " held out; both must have some: raise set.max-length, or give more records");
        }
        return new CallSet(train, test, new FunctionPool(making.pool.values()), making.counts(records.size()));
    }

    private static void requireApart(List<CallRecord> records) {
        Set<String> ids = new HashSet<>();
        for (CallRecord record : records) {
            if (!ids.add(record.id())) {
                throw new InvalidDataException("record id \"" + record.id()
                        + "\" stands twice; ids must differ over all files that become one set");
            }
        }
    }

    /** What is taken, and how it is written. */
    private static final class Making {
        private final CallSetSettings settings;
        private final ChatTokenizer tokenizer;
        private final PromptRenderer renderer;
        private final String wording;
        private final Map<String, FunctionSpec> pool = new LinkedHashMap<>();
        private int overLong;
        private int manyAnswers;
        private int conflicting;
        private int longest;

        Making(PromptSettings prompt, CallSetSettings settings, ChatTokenizer tokenizer) {
            this.settings = settings;
            this.tokenizer = tokenizer;
            renderer = new PromptRenderer(prompt, new ScenarioCatalog(List.of(), Map.of()), ScreenTexts.none());
            wording = SftRecord.wordingOf(prompt);
        }

        boolean take(CallRecord record) {
            int length = prompt(record, sample(record, null, List.of()))
                    .example(tokenizer)
                    .ids()
                    .length;
            longest = Math.max(longest, length);
            if (length > settings.maxLength()) {
                overLong++;
                return false;
            }
            if (record.answers(settings.maxAnswers()).size() > settings.maxAnswers()) {
                manyAnswers++;
                return false;
            }
            if (record.functions().stream().anyMatch(function -> !pool.getOrDefault(function.name(), function)
                    .equals(function))) {
                conflicting++;
                return false;
            }
            record.functions().forEach(function -> pool.put(function.name(), function));
            return true;
        }

        private SamplePrompts.SamplePrompt prompt(CallRecord record, Sample sample) {
            CandidatePool own = new CandidatePool(List.of(), record.functions());
            return new SamplePrompts.SamplePrompt(
                    sample, sample.target(), own, renderer.user(sample, null, own), renderer);
        }

        private static Sample sample(CallRecord record, @Nullable String split, List<Recommendation> valid) {
            return new Sample(
                    record.id(),
                    1,
                    split,
                    null,
                    new DeviceContext("", "", ""),
                    Trajectory.ofTexts(record.requests()),
                    valid);
        }

        Entry entry(CallRecord record, String split) {
            List<Recommendation> valid = record.acts()
                    ? record.answers(settings.maxAnswers()).stream()
                            .map(calls -> new Recommendation("", calls))
                            .toList()
                    : List.of();
            Sample sample = sample(record, split, valid);
            SamplePrompts.SamplePrompt prompt = prompt(record, sample);
            return new Entry(prompt.record(prompt.plain(), null, wording), sample);
        }

        Counts counts(int records) {
            return new Counts(records, overLong, manyAnswers, conflicting, longest);
        }
    }

    /**
     * The ids of the records held out: whole groups, so that no function and no request stands on both sides, drawn by the seed until they
     * are at least the share.
     *
     * @param share of the records
     */
    private static Set<String> heldOut(List<CallRecord> records, double share, long seed) {
        List<List<CallRecord>> groups = groups(records);
        Collections.shuffle(groups, new Random(seed));
        Set<String> held = new HashSet<>();
        for (List<CallRecord> group : groups) {
            if (held.size() >= share * records.size()) {
                break;
            }
            group.forEach(record -> held.add(record.id()));
        }
        return held;
    }

    private static List<List<CallRecord>> groups(List<CallRecord> records) {
        int[] parents = IntStream.range(0, records.size()).toArray();
        Map<String, Integer> first = new HashMap<>();
        for (int i = 0; i < parents.length; i++) {
            for (String mark : marks(records.get(i))) {
                Integer before = first.putIfAbsent(mark, i);
                if (before != null) {
                    parents[root(parents, i)] = root(parents, before);
                }
            }
        }
        Map<Integer, List<CallRecord>> groups = new LinkedHashMap<>();
        for (int i = 0; i < parents.length; i++) {
            groups.computeIfAbsent(root(parents, i), unseen -> new ArrayList<>())
                    .add(records.get(i));
        }
        return new ArrayList<>(groups.values());
    }

    private static int root(int[] parents, int record) {
        int at = record;
        while (parents[at] != at) {
            at = parents[at];
        }
        return at;
    }

    /** What records that belong together have in common. */
    private static List<String> marks(CallRecord record) {
        List<String> marks = new ArrayList<>(
                record.functions().stream().map(FunctionSpec::name).toList());
        marks.add("\n" + String.join("\n", record.requests()).toLowerCase(Locale.ROOT));
        return marks;
    }
}
