package dev.prpf.par.command;

import dev.prpf.data.run.IoFailure;
import dev.prpf.data.run.PrpfException;
import dev.prpf.par.training.TrainingFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Where {@code --out} puts a trained model. All that lies there is replaced at the end of the training, so anything but a model is refused
 * before it begins.
 */
final class TrainedModelPlace {
    private static final String OF_A_MODEL = "config.json";
    private static final String OF_ADAPTERS = "adapter_config.json";

    private TrainedModelPlace() {}

    /**
     * Looks at what would be replaced.
     *
     * @param files the model that the training begins with, and where the result goes
     * @param adapters whether adapters are trained, which go beside the result
     * @param run the run's own directory
     * @throws PrpfException 2 if the result would replace the start, the run or anything that is no model
     */
    static void requireReplaceable(TrainingFiles files, boolean adapters, Path run) {
        Path result = files.result();
        try {
            if (Files.exists(result) && Files.exists(files.start()) && Files.isSameFile(result, files.start())) {
                throw PrpfException.usage("--out " + result
                        + ": is --model, with which this run begins again when it goes on; name another folder");
            }
            if (absolute(run).startsWith(absolute(result))) {
                throw PrpfException.usage("--out " + result + ": would replace the run in " + run
                        + "; name another folder, or leave --out away for " + run.resolve("model"));
            }
            requireOnly(result, OF_A_MODEL, "model");
            if (adapters) {
                requireOnly(files.adapters(), OF_ADAPTERS, "adapter");
            }
        } catch (IOException e) {
            throw IoFailure.writing(result, e);
        }
    }

    private static Path absolute(Path path) {
        return path.toAbsolutePath().normalize();
    }

    private static void requireOnly(Path folder, String mark, String what) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        if (!Files.isDirectory(folder)) {
            throw PrpfException.usage("--out " + folder + ": is a file; name a folder for the " + what);
        }
        List<Path> found;
        try (Stream<Path> files = Files.list(folder)) {
            found = files.sorted().toList();
        }
        if (found.isEmpty()) {
            return;
        }
        Path inner = found.stream().filter(Files::isDirectory).findFirst().orElse(null);
        if (inner != null || !Files.exists(folder.resolve(mark))) {
            throw PrpfException.usage("--out " + folder + ": all in it would be replaced, and it holds "
                    + (inner == null ? found.get(0) : inner) + ", so it is no " + what
                    + " of a training; name another folder");
        }
    }
}
