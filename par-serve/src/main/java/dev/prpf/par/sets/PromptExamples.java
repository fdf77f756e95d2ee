package dev.prpf.par.sets;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.par.tokenizer.Tokenizer;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Prompts as tokens, written as SFT's are (PRPF A.4: "SFT-format prompts"), of labelled samples or of the records of an SFT set.
 *
 * @param prompts at least one
 * @param dropped how many were over-long and left out
 * @param outOfPool how many were left out because the perceived scenarios lack functions of their target
 * @param longest tokens of the longest, the dropped among them
 */
public record PromptExamples(List<PromptExample> prompts, int dropped, int outOfPool, int longest) {
    public PromptExamples {
        prompts = List.copyOf(prompts);
    }

    /**
     * What the responses to an SFT set's prompts are rewarded against.
     *
     * @param pool of the functions that its targets call
     * @param gold the samples it was made of, by id; null to reward against the targets of the set alone
     * @param constrained whether the functions that the prompts show are needed too
     */
    public record Answers(FunctionPool pool, @Nullable Map<String, Sample> gold, boolean constrained) {}

    /**
     * One prompt a sample. Its candidates are those that SFT shows with the target; all valid answers are rewarded.
     *
     * @param samples labelled
     * @throws PrpfException 65 for an unlabelled sample, an id that stands twice, an over-long prompt that must not be dropped, or when none is
     *     left; 78 if the prompts show predicted scenes but no perceiver ran
     */
    public static PromptExamples ofSamples(
            List<PerceivedSample> samples, SamplePrompts writer, Tokenizer tokenizer, RolloutPromptSettings settings) {
        PromptCollector collector = settings.collector();
        Set<String> ids = new HashSet<>();
        for (PerceivedSample sample : samples) {
            SamplePrompt prompt = writer.of(sample);
            if (prompt == null) {
                collector.leaveOut();
            } else if (!ids.add(sample.sample().id())) {
                throw new InvalidDataException("sample " + sample.sample().id()
                        + " stands twice; a prompt has one group of rollouts; check the data with `prpf data"
                        + " validate`");
            } else {
                PromptExample example = prompt.example(tokenizer);
                collector.take(example, example.ids().length);
            }
        }
        return collector.collected(samples.size());
    }

    /**
     * One prompt a sample of an SFT set: its first record's.
     *
     * @throws PrpfException 65 for a sample that the gold lacks, a target that calls or a constrained prompt that shows what the pool lacks, an
     *     over-long prompt that must not be dropped, or when none is left
     */
    public static PromptExamples ofRecords(
            SftRecords set, Answers answers, Tokenizer tokenizer, RolloutPromptSettings settings) {
        PromptCollector collector = settings.collector();
        for (List<SftRecord> records : settings.drawn(set.bySample())) {
            FunctionPool shown = answers.constrained() ? answers.pool() : null;
            PromptExample prompt = set.prompt(records.get(0), records, tokenizer, shown);
            if (answers.gold() == null) {
                requireKnown(set, prompt, answers.pool());
            } else {
                prompt = prompt.withValid(valid(set, prompt.id(), answers.gold()));
            }
            collector.take(prompt, prompt.ids().length);
        }
        return collector.collected(set.bySample().size());
    }

    private static List<List<FunctionCall>> valid(SftRecords set, String id, Map<String, Sample> gold) {
        Sample sample = gold.get(id);
        if (sample == null) {
            throw new InvalidDataException(set.file() + ": record " + id
                    + " is of no sample in the gold file; give the samples that the set was made of");
        }
        return sample.validSequences();
    }

    private static void requireKnown(SftRecords set, PromptExample prompt, FunctionPool pool) {
        String unknown = prompt.unknownFunction(pool);
        if (unknown != null) {
            throw new InvalidDataException(set.file() + ": record " + prompt.id() + ": its target calls " + unknown
                    + ", which the pool does not have, so what must be filled is not known; give the set's"
                    + " pool with --pool");
        }
    }
}
