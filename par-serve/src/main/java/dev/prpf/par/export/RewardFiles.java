package dev.prpf.par.export;

import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.io.FunctionPoolWriter;
import dev.prpf.data.io.SampleWriter;
import dev.prpf.par.reward.RewardSettings;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;

/**
 * What {@code prpf par reward} needs to reward an export's responses, and the Python that asks it.
 *
 * @param pool of the answers
 * @param settings of the reward
 */
public record RewardFiles(FunctionPool pool, RewardSettings settings) {
    static final String GOLD = "gold.json";
    static final String POOL = "function_pool.json";
    static final String CONSTANTS = "reward.yaml";
    static final String HOOK = "prpf_reward.py";

    static final List<String> NAMES = List.of(GOLD, POOL, CONSTANTS, HOOK);

    /** Writes them. */
    void write(Path folder, Collection<Sample> samples) {
        SampleWriter.write(folder.resolve(GOLD), samples.iterator());
        FunctionPoolWriter.write(pool, folder.resolve(POOL));
        AtomicFiles.writeText(folder.resolve(CONSTANTS), StrictYaml.write(settings));
        ShippedScript.write(HOOK, folder);
    }
}
