package dev.prpf.par.export;

import dev.prpf.base.error.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.RecordLines;
import dev.prpf.par.prompt.PromptProvenance;
import dev.prpf.par.rollout.RolloutGroup;
import dev.prpf.par.rollout.RolloutProvenance;
import dev.prpf.par.sets.SftRecord;
import dev.prpf.par.sets.SftRecords;
import dev.prpf.par.tokenizer.Tokenizer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.BiConsumer;

/**
 * The model whose rollouts chose the prompts; it decides whether groups and set go together.
 *
 * @param promptHash of the prompts it reads
 * @param reward that the export will have; the groups must have been rewarded so
 * @param tokenizer closed with it
 */
public record RolledOut(Path directory, String promptHash, RewardFiles reward, Tokenizer tokenizer)
        implements AutoCloseable {
    /**
     * Opens a model's tokenizer.
     *
     * @throws PrpfException 65 if the directory does not say which prompts the model reads; 78 if the set's are written otherwise
     */
    public static RolledOut open(Path directory, SftRecords set, RewardFiles reward) {
        PromptProvenance provenance = PromptProvenance.read(directory);
        set.requirePrompts(provenance.prompt());
        return new RolledOut(directory, provenance.promptHash(), reward, Tokenizer.load(directory));
    }

    /** Reads groups, each after its place; an id may stand more than once, as a GRPO set repeats records. */
    void read(Path file, BiConsumer<String, RolloutGroup> groups) {
        new RecordLines<>(RolloutGroup.class, "rollout group").read(file, (place, group) -> {
            requireSame(group.provenance(), place);
            groups.accept(place, group);
        });
    }

    private void requireSame(RolloutProvenance rolledOut, String place) {
        rolledOut.requirePrompt(promptHash, directory.toString(), place);
        RolloutProvenance here = RolloutProvenance.of(
                rolledOut.policy(), promptHash, reward.settings(), reward.pool(), rolledOut.sampling());
        require(place, "pool", rolledOut.pool(), here.pool(), "--pool");
        require(place, "reward", rolledOut.reward(), here.reward(), "--reward");
    }

    private static void require(String place, String what, String rolledOut, String here, String option) {
        if (!rolledOut.equals(here)) {
            throw new InvalidConfigurationException(place + ": was rolled out with " + what + " " + rolledOut
                    + ", here it is " + here + "; give the same " + what + " with " + option + ", or roll out again");
        }
    }

    /** Whether a record's prompt has these tokens. */
    boolean writes(SftRecord record, long[] promptIds) {
        return Arrays.equals(tokenizer.encode(record.chat()), promptIds);
    }

    @Override
    public void close() {
        tokenizer.close();
    }
}
