package dev.prpf.par.export;

import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.data.io.SampleWriter;
import dev.prpf.par.response.ResponseForm.ReasoningMode;
import dev.prpf.par.reward.ResponseScorer;
import dev.prpf.par.reward.RewardSettings;
import dev.prpf.par.reward.StructuredReward;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The files that {@code prpf serve} needs to reward an export's responses, and the Python client ({@code integrations/}).
 *
 * @param gold the gold samples by id
 * @param pool functions of the answers
 */
public record RewardFiles(Map<String, Sample> gold, FunctionPool pool, RewardSettings settings) {
    static final String GOLD = "gold.json";
    static final String POOL = "function_pool.json";
    static final String CONSTANTS = "reward.yaml";

    static final List<String> NAMES = List.of(GOLD, POOL, CONSTANTS);

    String configuration(ReasoningMode reasoning) {
        return ResponseScorer.configuration(new StructuredReward(settings, pool), reasoning);
    }

    Sample sample(String id) {
        return Objects.requireNonNull(gold.get(id), id);
    }

    /** Writes the files, with the samples of these ids; returns their names. */
    List<String> write(Path folder, Trainer trainer, Set<String> ids) {
        SampleWriter.write(folder.resolve(GOLD), ids.stream().map(this::sample).iterator());
        return Stream.concat(Stream.of(GOLD), writeRules(folder, trainer).stream())
                .toList();
    }

    /** Writes all files except the samples; returns their names. */
    List<String> writeRules(Path folder, Trainer trainer) {
        FunctionPoolFile.write(pool, folder.resolve(POOL));
        AtomicFiles.writeText(folder.resolve(CONSTANTS), StrictYaml.write(settings));
        trainer.hooks().forEach(hook -> ExportFolder.ship(hook, folder));
        return Stream.concat(Stream.of(POOL, CONSTANTS), trainer.hooks().stream())
                .toList();
    }
}
