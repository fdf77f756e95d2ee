package dev.prpf.par.training;

import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.run.PrpfException;
import dev.prpf.par.prompt.PromptProvenance;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.rollout.RolloutLines;
import dev.prpf.par.rollout.RolloutPrompt;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The prompts of a GRPO set, token for token as they were rolled out, with the valid answers of their samples. */
public final class GrpoSetPrompts {
    private final Path model;
    private final PromptProvenance provenance;
    private final FunctionPool pool;
    private final Map<String, Sample> gold;

    /**
     * @param model that is to be trained
     * @param provenance which prompts it reads
     * @param pool that its responses are rewarded over
     * @param gold the set's samples by id
     */
    public GrpoSetPrompts(Path model, PromptProvenance provenance, FunctionPool pool, Map<String, Sample> gold) {
        this.model = model;
        this.provenance = provenance;
        this.pool = pool;
        this.gold = gold;
    }

    /**
     * Reads a set; a prompt that stands several times is trained on as often.
     *
     * @throws PrpfException 78 if the set was made with another template, wording, tokenizer or pool; 65 for a broken line or a prompt whose
     *     sample the gold lacks
     */
    public List<RolloutPrompt> read(Path file) {
        List<RolloutPrompt> prompts = new ArrayList<>();
        RolloutLines.readSet(file, group -> {
            group.provenance().requirePrompt(provenance.promptHash(), model.toString(), file.toString());
            group.provenance().requirePool(pool, file.toString());
            Sample sample = gold.get(group.id());
            if (sample == null) {
                throw PrpfException.badData(file + ": prompt " + group.id()
                        + " is of no sample in --data; give the samples that the rollouts were made of");
            }
            prompts.add(new RolloutPrompt(
                    group.id(),
                    group.promptIds(),
                    sample.validSequences(),
                    ResponseForm.of(provenance.prompt().reasoning(), sample.modality()),
                    List.of()));
        });
        return prompts;
    }
}
