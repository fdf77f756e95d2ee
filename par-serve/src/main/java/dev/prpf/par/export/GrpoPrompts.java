package dev.prpf.par.export;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.Sample;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.ResponseParser;
import dev.prpf.par.sets.SftRecord;
import dev.prpf.par.tokenizer.Piece;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** An SFT set's prompts with the samples they were made of: what GRPO starts from (PRPF Appendix A.4). */
public final class GrpoPrompts {
    private final Map<String, List<GrpoPrompt>> byId = new LinkedHashMap<>();

    /**
     * Joins them.
     *
     * @param gold samples by id
     * @param goldSource where they came from, for messages
     * @throws PrpfException 65 if a record has no sample, or its target is none of the sample's answers
     */
    public GrpoPrompts(ExportSource source, Map<String, Sample> gold, String goldSource) {
        for (SftRecord record : source.records()) {
            Sample sample = gold.get(record.id());
            if (sample == null) {
                throw new InvalidDataException(goldSource + ": has no sample \"" + record.id()
                        + "\", which the set has a record of; give the samples that the set was made of");
            }
            requireAnswer(record, sample, goldSource);
            byId.computeIfAbsent(record.id(), id -> new ArrayList<>()).add(new GrpoPrompt(record, sample));
        }
    }

    /** One prompt a sample; of several records of one sample the first. */
    public List<GrpoPrompt> all() {
        return byId.values().stream().map(prompts -> prompts.get(0)).toList();
    }

    /**
     * The prompts of the groups that a GRPO set kept, in its order, as often as it has them.
     *
     * @param groups rollout groups
     * @throws PrpfException 65, naming file and line, for a group without a record, or whose prompt is not a record's; 78 for groups of
     *     another prompt hash than the model's
     */
    public List<GrpoPrompt> of(Path groups, RolledOut model) {
        List<GrpoPrompt> prompts = new ArrayList<>();
        model.read(
                groups,
                (place, id, promptIds) -> prompts.add(of(place, id).stream()
                        .filter(prompt -> model.writes(prompt.record(), promptIds))
                        .findFirst()
                        .orElseThrow(() -> new InvalidDataException(place + ": the prompt of \"" + id
                                + "\" that was rolled out is not the one in the set, its tokens differ; give the set"
                                + " that was rolled out, or roll out again"))));
        return prompts;
    }

    private List<GrpoPrompt> of(String place, String id) {
        List<GrpoPrompt> known = byId.get(id);
        if (known == null) {
            throw new InvalidDataException(place + ": the set has no record of \"" + id
                    + "\", so the text of its prompt is not known; give the set that was rolled out");
        }
        return known;
    }

    private static void requireAnswer(SftRecord record, Sample sample, String goldSource) {
        if (!(ResponseParser.parse(Piece.text(record.response())) instanceof ParResponse.Parsed parsed)) {
            throw new IllegalStateException("an SFT record's response is parsed: " + record.id());
        }
        if (!sample.validSequences().contains(parsed.calls())) {
            throw new InvalidDataException(goldSource + ": the target of record \"" + record.id()
                    + "\" is none of that sample's answers; give the samples that the set was made of");
        }
    }
}
