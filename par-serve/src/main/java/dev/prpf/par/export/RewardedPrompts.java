package dev.prpf.par.export;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.Sample;
import dev.prpf.par.sets.SftRecord;
import dev.prpf.par.sets.SftRecords;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The prompts of an SFT set whose responses can be rewarded: what GRPO starts from (PRPF Appendix A.4). They are given as records, whose own
 * responses are not used.
 */
public final class RewardedPrompts {
    private final Map<String, List<SftRecord>> byId = new LinkedHashMap<>();

    /**
     * Joins records and samples.
     *
     * @param gold samples by id
     * @param goldSource where they came from, for messages
     * @throws PrpfException 65 if a record has no sample, or its target is none of the sample's answers
     */
    public RewardedPrompts(SftRecords set, Map<String, Sample> gold, String goldSource) {
        for (SftRecord record : set.records()) {
            Sample sample = gold.get(record.id());
            if (sample == null) {
                throw new InvalidDataException(goldSource + ": has no sample \"" + record.id()
                        + "\", which the set has a record of; give the samples that the set was made of");
            }
            if (!sample.validSequences().contains(record.calls())) {
                throw new InvalidDataException(goldSource + ": the target of record \"" + record.id()
                        + "\" is none of that sample's answers; give the samples that the set was made of");
            }
            byId.computeIfAbsent(record.id(), id -> new ArrayList<>()).add(record);
        }
    }

    /** One prompt a sample; of several records of one sample the first. */
    public List<SftRecord> all() {
        return byId.values().stream().map(records -> records.get(0)).toList();
    }

    /**
     * The prompts of the groups that a GRPO set kept, in its order, as often as it has them.
     *
     * @param groups rollout groups
     * @throws PrpfException 65, naming file and line, for a group without a record, or whose prompt is not a record's; 78 for groups of
     *     another prompt hash than the model's
     */
    public List<SftRecord> of(Path groups, RolledOut model) {
        List<SftRecord> prompts = new ArrayList<>();
        model.read(groups, (place, group) -> {
            List<SftRecord> known = byId.get(group.id());
            if (known == null) {
                throw new InvalidDataException(place + ": the set has no record of \"" + group.id()
                        + "\", so the text of its prompt is not known; give the set that was rolled out");
            }
            prompts.add(known.stream()
                    .filter(record -> model.writes(record, group.promptIds()))
                    .findFirst()
                    .orElseThrow(() -> new InvalidDataException(place + ": the prompt of \"" + group.id()
                            + "\" that was rolled out is not the one in the set, its tokens differ; give the set"
                            + " that was rolled out, or roll out again")));
        });
        return prompts;
    }
}
