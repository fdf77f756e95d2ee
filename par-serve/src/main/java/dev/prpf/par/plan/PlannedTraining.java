package dev.prpf.par.plan;

import dev.prpf.base.workflow.Stage;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.FusedShape;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.plan.StageNeed.Work;
import dev.prpf.par.sets.SftExamples.SftExampleSettings;
import dev.prpf.par.training.GrpoConfig;
import dev.prpf.par.training.GrpoMemory;
import dev.prpf.par.training.LoraSettings;
import dev.prpf.par.training.ParGrpoConfig;
import dev.prpf.par.training.ParGrpoConfig.GrpoSampling;
import dev.prpf.par.training.ParSftConfig;
import dev.prpf.par.training.SftConfig;
import dev.prpf.par.training.SftMemory;
import dev.prpf.par.training.TrainingConfig;
import dev.prpf.par.training.TrainingMemory;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Estimates the memory and work of training a model of a plan.
 *
 * @param start the initial model, with the prompts of the training
 * @param model the directory of the initial model
 * @param source the training set
 * @param images root of the images' paths; null without images
 * @param made directory of the trained model
 */
public record PlannedTraining(
        StagePlan.Model start, Path model, StagePlan.Source source, @Nullable Path images, Path made) {
    /** Examples of a step of configs/launch/trl-sft.yaml before accumulation: 2 on each of 8 GPUs. */
    private static final int ROWS = 16;
    /** Responses of a step of configs/launch/trl-grpo.yaml before accumulation: 8 on each of 8 GPUs. */
    private static final int RESPONSES = 64;

    private static final double BYTES_OF_TOKEN = 4;
    /** Tokens of an example without its trace and context: instructions, functions and response. */
    private static final double OTHER_TOKENS = 250;

    /** Estimates a supervised fine-tuning. */
    public StageNeed sft(ParSftConfig config) {
        if (!Files.exists(shape())) {
            return StageNeed.unknown(shape());
        }
        SftConfig training = config.training();
        TrainingMemory.Estimator estimator = estimator(training);
        DecoderConfig decoder = estimator.model();
        int longest = Math.min(config.examples().maxLength(), decoder.maxPositions());
        TrainingMemory memory =
                SftMemory.atMost(training, estimator, longest, start.shown(training.batchSize(), longest));
        Double tokens = tokens(config.examples(), longest);
        Work work = tokens == null
                ? null
                : new Work(tokens * training.epochs() * flops(estimator), 0, source.text() != null);
        int steps = Math.max(1, training.batchSize() * training.gradientAccumulationSteps() / ROWS);
        Map<String, Object> options = new LinkedHashMap<>();
        options.put("learning_rate", training.learningRate());
        options.put("num_train_epochs", training.epochs());
        options.put("gradient_accumulation_steps", steps);
        options.put("max_length", config.examples().maxLength());
        String trl = elsewhere("sft", options, estimator);
        return need(memory, work, SftMemory.lower(training, decoder), trl);
    }

    /** Returns the tokens of an epoch: of samples of known length about, else with every example of the longest; null if unknown. */
    private @Nullable Double tokens(SftExampleSettings examples, int longest) {
        Long records = source.records();
        StagePlan.Text text = source.text();
        if (records == null || text == null) {
            return records == null ? null : (Double) ((double) records * longest);
        }
        double trained = text.acting() + (1 - text.acting()) * examples.silentShare();
        return records * trained * Math.min(longest, text.bytes() / BYTES_OF_TOKEN + OTHER_TOKENS);
    }

    public StageNeed grpo(ParGrpoConfig config) {
        if (!Files.exists(shape())) {
            return StageNeed.unknown(shape());
        }
        GrpoConfig training = config.training();
        GrpoSampling sampling = config.rollouts();
        TrainingMemory.Estimator estimator = estimator(training);
        int longest =
                Math.min(config.prompts().maxLength(), estimator.model().maxPositions() - sampling.maxNewTokens());
        GrpoMemory estimate = new GrpoMemory(
                training,
                sampling,
                estimator,
                new GrpoMemory.PromptSize(longest, longest, sampling.batchSize(), start.shown(1, longest)));
        TrainingMemory memory = estimate.estimate();
        Long records = source.records();
        Work work = records == null ? null : work(config, estimator, records * training.epochs(), longest);
        return need(memory, work, estimate.lower(memory), elsewhere("grpo", options(config), estimator));
    }

    private static Map<String, Object> options(ParGrpoConfig config) {
        GrpoConfig training = config.training();
        GrpoSampling sampling = config.rollouts();
        Map<String, Object> options = new LinkedHashMap<>();
        options.put("learning_rate", training.learningRate());
        options.put("num_train_epochs", training.epochs());
        options.put(
                "gradient_accumulation_steps",
                Math.max(1, training.promptsPerStep() * sampling.groupSize() / RESPONSES));
        options.put("beta", training.objective().klCoefficient());
        options.put("num_iterations", training.updatesPerRollout());
        options.put("num_generations", sampling.groupSize());
        options.put("temperature", sampling.temperature());
        options.put("max_completion_length", sampling.maxNewTokens());
        return options;
    }

    private StageNeed need(TrainingMemory memory, @Nullable Work work, String lower, String elsewhere) {
        boolean exported = !source.export().isEmpty();
        return new StageNeed(memory.added(), memory.inWords(), work, lower, exported ? elsewhere : null);
    }

    private Path shape() {
        return start.start().resolve("config.json");
    }

    private TrainingMemory.Estimator estimator(TrainingConfig training) {
        return new TrainingMemory.Estimator(
                training, HuggingFaceDirectory.open(start.start()).config(), start.vision());
    }

    /** Operations of one token's forward and backward pass: frozen weights have no gradient. */
    private static double flops(TrainingMemory.Estimator estimator) {
        TrainingConfig training = estimator.config();
        int passes = (training.lora() == null ? 6 : 4) + (training.gradientCheckpointing() ? 2 : 0);
        return (double) passes * estimator.model().parameterCount();
    }

    /** Sampling, then each response once through the sampling policy and the reference, and through every update. */
    private Work work(ParGrpoConfig config, TrainingMemory.Estimator estimator, long prompts, int longest) {
        GrpoSampling sampling = config.rollouts();
        int group = sampling.groupSize();
        double tokens = (double) prompts * group * (longest + sampling.maxNewTokens());
        double learned = flops(estimator) * config.training().updatesPerRollout()
                + 4.0 * estimator.model().parameterCount();
        Work sampled = new PlannedGeneration(
                        start, estimator.precision(), sampling.batchSize(), sampling.maxNewTokens(), true)
                .work(FusedShape.of(estimator.model(), estimator.precision()), prompts, longest, group);
        return new Work(tokens * learned + sampled.flops(), sampled.read(), false);
    }

    /** Returns the command of TRL that trains as the configuration does. */
    private String elsewhere(String kind, Map<String, Object> options, TrainingMemory.Estimator estimator) {
        List<String> words = new ArrayList<>(List.of(kind, model.toString(), made.toString()));
        words.addAll(source.export());
        if (images != null) {
            words.addAll(List.of("--images", images.toString()));
        }
        words.add("--");
        options.forEach((name, value) -> words.addAll(List.of("--" + name, value.toString())));
        LoraSettings lora = estimator.config().lora();
        if (lora != null) {
            String alpha = BigDecimal.valueOf(lora.alpha()).stripTrailingZeros().toPlainString();
            words.addAll(List.of("--use_peft", "--lora_r", String.valueOf(lora.rank()), "--lora_alpha", alpha));
            words.addAll(List.of("--lora_dropout", "0", "--lora_target_modules"));
            words.addAll(lora.words(estimator.model()));
        }
        return words.stream().map(Stage::quoted).collect(Collectors.joining(" ", "configs/launch/trl.sh ", ""));
    }
}
