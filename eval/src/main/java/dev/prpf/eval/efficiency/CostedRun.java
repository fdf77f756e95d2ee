package dev.prpf.eval.efficiency;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.eval.compare.RunFiles;
import dev.prpf.par.cascade.Prediction;
import dev.prpf.par.cascade.PredictionCost;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The summed costs of one run's predictions.
 *
 * @param name of the system
 * @param files predictions of the run and its {@code run.json}
 * @param ids of its samples
 * @param sums sums of their costs
 * @param resources of the run; {@link RunResources#NONE} if no finished run is known
 * @param decoder facts of its reasoner; null if unknown or on a server
 */
public record CostedRun(
        String name,
        RunFiles files,
        Set<String> ids,
        CostSums sums,
        RunResources resources,
        @Nullable DecoderFacts decoder) {
    /**
     * Reads and sums a run's predictions.
     *
     * @param path a run directory, or a file of predictions
     * @throws PrpfException 65 for a file without predictions, or a prediction without cost
     */
    public static CostedRun read(String name, Path path) {
        RunFiles files = RunFiles.of(path);
        Path run = files.run();
        JsonNode result = run == null
                ? MissingNode.getInstance()
                : RunDirectory.result(run.toAbsolutePath().resolveSibling(".").normalize());
        DecoderFacts decoder = DecoderFacts.of(result.path("decoder"));
        CostSums sums = new CostSums(decoder);
        Set<String> ids = new LinkedHashSet<>();
        Prediction.read(files.predictions(), prediction -> {
            ids.add(prediction.id());
            sums.add(prediction.route(), cost(files.predictions(), prediction));
        });
        return new CostedRun(name, files, ids, sums, RunResources.of(result), decoder);
    }

    private static PredictionCost cost(Path file, Prediction prediction) {
        if (prediction.cost() == null) {
            throw new InvalidDataException(file + ": the prediction of sample " + prediction.id()
                    + " has no \"cost\"; only `prpf eval run` measures it: run it again into another file");
        }
        return prediction.cost();
    }

    public Path file() {
        return files.predictions();
    }

    public int n() {
        return ids.size();
    }
}
