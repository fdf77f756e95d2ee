package dev.prpf.par.command;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UsageException;
import dev.prpf.base.files.IoFailure;
import dev.prpf.par.huggingface.ModelPlace;
import dev.prpf.par.training.TrainingFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where {@code --out} puts a trained model. All that lies there is replaced at the end of the training, so anything but a model is refused
 * before it begins.
 */
final class TrainedModelPlace {
    private static final String MODEL = "model";

    private TrainedModelPlace() {}

    /**
     * Where a trained model goes, after a look at what would be replaced there.
     *
     * @param start the model that the training begins with
     * @param out {@code --out}; null for the run's own place
     * @param adapters whether adapters are trained, which go beside the result
     * @param run the run's own directory
     * @return where it goes
     * @throws PrpfException 2 if the result would replace the start, the run or anything that is no model
     */
    static Path of(Path start, @Nullable Path out, boolean adapters, Path run) {
        if (out == null) {
            return run.resolve(MODEL);
        }
        requireReplaceable(new TrainingFiles(start, out, null), adapters, run);
        return out;
    }

    private static void requireReplaceable(TrainingFiles files, boolean adapters, Path run) {
        Path result = files.result();
        try {
            if (Files.exists(result) && Files.exists(files.start()) && Files.isSameFile(result, files.start())) {
                throw new UsageException("--out " + result
                        + ": is --model, with which this run begins again when it goes on; name another folder");
            }
            requireApart(result, result, run);
            if (adapters) {
                requireApart(result, files.adapters(), run);
            }
            ModelPlace.model(result).requireReplaceable();
            if (adapters) {
                ModelPlace.adapters(files.adapters()).requireReplaceable();
            }
        } catch (IOException e) {
            throw IoFailure.writing(result, e);
        }
    }

    private static void requireApart(Path out, Path replaced, Path run) {
        boolean checkpoints = absolute(replaced).startsWith(absolute(run).resolve("checkpoints"));
        if (checkpoints || absolute(run).startsWith(absolute(replaced))) {
            throw new UsageException("--out " + out + ": would replace " + (checkpoints ? "checkpoints of " : "")
                    + "the run in " + run + "; name another folder, or leave --out away for " + run.resolve(MODEL));
        }
    }

    private static Path absolute(Path path) {
        return path.toAbsolutePath().normalize();
    }
}
