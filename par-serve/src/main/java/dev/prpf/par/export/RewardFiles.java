package dev.prpf.par.export;

import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.io.FunctionPoolWriter;
import dev.prpf.data.io.SampleWriter;
import dev.prpf.par.reward.RewardSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * What {@code prpf par reward} needs to reward an export's responses, and the Python that asks it.
 *
 * @param gold the samples whose answers are right, by id
 * @param pool of the answers
 * @param settings of the reward
 */
public record RewardFiles(Map<String, Sample> gold, FunctionPool pool, RewardSettings settings) {
    static final String GOLD = "gold.json";
    static final String POOL = "function_pool.json";
    static final String CONSTANTS = "reward.yaml";
    static final String HOOK = "prpf_reward.py";

    static final List<String> NAMES = List.of(GOLD, POOL, CONSTANTS, HOOK);

    /** The sample of a prompt. */
    Sample sample(String id) {
        return Objects.requireNonNull(gold.get(id), id);
    }

    /** Writes the files; of the samples those that have prompts. */
    void write(Path folder, Set<String> ids) {
        SampleWriter.write(folder.resolve(GOLD), ids.stream().map(this::sample).iterator());
        FunctionPoolWriter.write(pool, folder.resolve(POOL));
        AtomicFiles.writeText(folder.resolve(CONSTANTS), StrictYaml.write(settings));
        ShippedFile.write(HOOK, folder);
    }
}
