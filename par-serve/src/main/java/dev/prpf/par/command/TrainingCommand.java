package dev.prpf.par.command;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.prpf.base.command.CascadePart;
import dev.prpf.base.command.RunOptions;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.par.engine.FreeMemory;
import dev.prpf.par.engine.TorchRuntime;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.huggingface.ModelPlace;
import dev.prpf.par.plan.PlannedCommand;
import dev.prpf.par.plan.PlannedTraining;
import dev.prpf.par.plan.StagePlan;
import dev.prpf.par.sets.PromptExample;
import dev.prpf.par.training.LoraSettings;
import dev.prpf.par.training.TrainingConfig;
import dev.prpf.par.training.TrainingFiles;
import dev.prpf.par.training.TrainingMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Base of the commands that train a model: input and output model, options of the samples, and a resumable run. */
abstract class TrainingCommand implements Runnable, PlannedCommand {
    private static final Logger LOG = LoggerFactory.getLogger(TrainingCommand.class);
    private static final String MODEL = "model";

    @Mixin
    RunOptions common = new RunOptions();

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--reasoner",
            converter = CascadePart.Reasoner.class,
            required = true,
            paramLabel = "DIR",
            description = "The model to start from: a directory, a training's run or a cascade.")
    Path model;

    @Mixin
    SampleOptions options = new SampleOptions();

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "Where the trained model goes (default: RUN/model); a model that is there is replaced.")
    private @Nullable Path out;

    /** Returns the destination of the trained model. The folder is replaced at the end, so any content but a model is refused before with 2. */
    Path result(Path directory, @Nullable LoraSettings lora) {
        if (out == null) {
            return directory.resolve(MODEL);
        }
        requireReplaceable(out, lora == null ? null : new TrainingFiles(model, out, null).adapters(), directory);
        return out;
    }

    PlannedTraining planned(StagePlan plan, StagePlan.Model start, Path set, String name) {
        Path made = out == null ? common.runDirectory(name).resolve(MODEL) : out;
        plan.makes(made, start);
        return new PlannedTraining(start, model, plan.source(set), options.images, made);
    }

    private record Summary(@JsonUnwrapped Record result, Map<String, @Nullable Object> memory) {}

    /** Logs the images of prompts; returns null if prompts have none. */
    static @Nullable ImageCounts counted(List<PromptExample> prompts) {
        ImageCounts counts = ImageCounts.of(prompts);
        if (counts.images() == 0) {
            return null;
        }
        LOG.info("{}", counts.inWords());
        return counts;
    }

    /** @param fitting returns the settings that fit into a number of free bytes */
    static void requireRoom(TrainingMemory memory, String lower, LongFunction<String> fitting) {
        long free = FreeMemory.bytes(memory.added());
        memory.requireWithin(free, memory.added() > free ? lower + fitting.apply(free) : lower);
        LOG.info("{}", memory.inWords());
    }

    /** Trains in the run's directory; stores and prints the result. */
    void train(
            Path directory,
            RunDescription description,
            TrainingMemory memory,
            Function<RunDirectory, Record> training) {
        try (RunDirectory run = RunDirectory.open(directory, common.resume, description)) {
            Summary summary = new Summary(training.apply(run), memory.byName(true));
            run.finish(summary);
            common.print(summary);
        }
    }

    /** @param data facts about the training data */
    RunDescription description(Record config, TrainingConfig training, Map<String, ?> data) {
        Map<String, Object> facts = new LinkedHashMap<>(data);
        facts.put("model", model.toString());
        facts.put("model_sha256", HuggingFaceDirectory.open(model).sha256());
        facts.put("seed", training.seed());
        facts.put("device", TorchRuntime.device());
        facts.put("precision", training.precision().resolve().name());
        return new RunDescription("reasoner " + spec.name(), common.arguments(), StrictYaml.write(config), facts);
    }

    private void requireReplaceable(Path result, @Nullable Path adapters, Path run) {
        try {
            if (Files.exists(result) && Files.exists(model) && Files.isSameFile(result, model)) {
                throw new UsageException("--out " + result
                        + ": is --reasoner, which this run reads again when it resumes; name another folder");
            }
            requireApart(result, result, run);
            ModelPlace.model(result).requireReplaceable();
            if (adapters != null) {
                requireApart(result, adapters, run);
                ModelPlace.adapters(adapters).requireReplaceable();
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
