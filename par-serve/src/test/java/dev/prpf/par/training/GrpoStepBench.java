package dev.prpf.par.training;

import dev.prpf.base.run.ProcessMemory;
import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.RunDirectory.Resume;
import dev.prpf.base.run.StopSignal;
import dev.prpf.par.engine.AttentionShape;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.ModelInit;
import dev.prpf.par.engine.Precision.PrecisionChoice;
import dev.prpf.par.engine.TinyModels;
import dev.prpf.par.generate.Generation;
import dev.prpf.par.generate.Generation.FinishReason;
import dev.prpf.par.generate.GenerationRequest;
import dev.prpf.par.generate.Generator;
import dev.prpf.par.generate.Generator.GenerationSettings;
import dev.prpf.par.generate.Requests;
import dev.prpf.par.generate.SamplingParams.Sampling;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.reward.RewardBreakdown.ConfusionOutcome;
import dev.prpf.par.reward.Terms;
import dev.prpf.par.rollout.Rollout;
import dev.prpf.par.rollout.RolloutGroup;
import dev.prpf.par.rollout.RolloutProvenance;
import dev.prpf.par.sets.PromptExample;
import dev.prpf.par.sets.PromptSplit;
import dev.prpf.par.training.GrpoTraining.PolicyRollouts;
import dev.prpf.par.training.ParGrpoConfig.GrpoSampling;
import dev.prpf.par.training.TrainingConfig.AdamWSettings;
import dev.prpf.par.training.TrainingConfig.LrSchedulerType;
import dev.prpf.par.training.TrainingConfig.TrainVision;
import dev.prpf.par.vision.VisualPrompt;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * One GRPO step of a 16M Llama: 8 prompts of 96 tokens, 8 responses of 128 each, fp32, KL 0.05; the shape of TRL's figure. No test;
 * benchmarks/grpo/README.md says how to run it. Arguments: steps, fp32 or bf16, full or lora, responses a batch of the gradient.
 */
final class GrpoStepBench implements PolicyRollouts {
    private static final int VOCABULARY = 8192;
    private static final int PROMPTS = 8;
    private static final int PROMPT = 96;
    private static final int RESPONSE = 128;
    private static final GrpoSampling SAMPLING = new GrpoSampling(8, 1, 0, 1, RESPONSE, 64);

    private long sampling;

    private GrpoStepBench() {}

    /** Runs the benchmark's steps. */
    public static void main(String[] arguments) throws IOException {
        int steps = Integer.parseInt(arguments[0]);
        PrecisionChoice precision = PrecisionChoice.valueOf(arguments[1].toUpperCase(Locale.ROOT));
        LoraSettings lora = arguments[2].equals("lora") ? new LoraSettings(16, 32, null) : null;
        Path folder = Files.createTempDirectory("grpo-step");
        Path model = folder.resolve("model");
        try (DecoderWeights weights = ModelInit.random(
                TinyModels.llama(VOCABULARY, 384, 1024, 8, AttentionShape.of(6, 2, 64, 10_000), 2048, true, List.of(1)),
                1)) {
            HuggingFaceDirectory.write(model, weights, null);
        }
        GrpoStepBench bench = new GrpoStepBench();
        List<double[]> times = bench.times(folder, config(steps, precision, lora, Integer.parseInt(arguments[3])));
        double[] all = times.stream().mapToDouble(time -> time[0]).sorted().toArray();
        double[] rollouts = times.stream().mapToDouble(time -> time[1]).sorted().toArray();
        System.out.printf(
                Locale.ROOT,
                "GRPO step, %s: median %.2f s, rollouts %.2f s of it; resident %d MB; all %s%n",
                String.join(" ", Arrays.asList(arguments).subList(1, 4)),
                all[all.length / 2],
                rollouts[rollouts.length / 2],
                resident(),
                Arrays.stream(all)
                        .mapToObj(time -> String.format(Locale.ROOT, "%.2f", time))
                        .toList());
    }

    private static GrpoConfig config(int steps, PrecisionChoice precision, @Nullable LoraSettings lora, int batch) {
        AdamWSettings adamw = new AdamWSettings(0.9, 0.999, 1e-8, 0);
        return new GrpoConfig(
                "prpf",
                null,
                5e-7,
                0,
                LrSchedulerType.COSINE,
                steps,
                steps,
                PROMPTS,
                1,
                null,
                batch,
                false,
                1,
                adamw,
                precision,
                lora,
                TrainVision.NONE,
                0,
                GrpoConfig.Selection.LAST,
                steps,
                steps,
                steps,
                1);
    }

    private List<double[]> times(Path folder, GrpoConfig config) {
        RunDescription description = new RunDescription("bench", List.of(), "x: 1\n", Map.of());
        TrainingFiles files = new TrainingFiles(folder.resolve("model"), folder.resolve("result"), null);
        PromptSplit prompts = new PromptSplit(prompts(), List.of());
        List<double[]> times = new ArrayList<>();
        try (RunDirectory run = RunDirectory.open(folder.resolve("run"), Resume.AUTO, description);
                StopSignal stop = StopSignal.install();
                GrpoTraining training =
                        new GrpoTraining(config, files, new GrpoTraining.Prompts(prompts, 1, 2, null), this, run)) {
            long[] start = {System.nanoTime()};
            training.run(stop, step -> {
                times.add(new double[] {(System.nanoTime() - start[0]) / 1e9, sampling / 1e9});
                start[0] = System.nanoTime();
            });
        }
        return times.subList(0, times.size() - 1); // the last one saved
    }

    private static List<PromptExample> prompts() {
        Random random = new Random(1);
        return IntStream.range(0, PROMPTS)
                .mapToObj(i -> new PromptExample(
                        "p" + i,
                        VisualPrompt.ofText(random.longs(PROMPT, 2, VOCABULARY).toArray()),
                        List.of(List.of()),
                        ResponseForm.ANY,
                        List.of()))
                .toList();
    }

    private static long resident() {
        return Objects.requireNonNull(ProcessMemory.peakBytes()) / 1_000_000;
    }

    @Override
    public GrpoSampling sampling() {
        return SAMPLING;
    }

    @Override
    public List<RolloutGroup> sample(CausalLm policy, List<PromptExample> prompts, long seed) {
        long start = System.nanoTime();
        GenerationSettings settings =
                Requests.sampled(RESPONSE, new Sampling(1, 0, 1), List.of(), SAMPLING.batchSize());
        List<GenerationRequest> requests = IntStream.range(0, prompts.size())
                .boxed()
                .flatMap(i ->
                        Requests.of(prompts.get(i).ids(), settings.params(), seed + 100L * i, null).samples(8).stream())
                .toList();
        List<Generation> samples = new Generator(policy).generate(requests, settings.batchSize(), () -> false);
        RolloutProvenance provenance = new RolloutProvenance(
                "w", "p", "r", "q", new RolloutProvenance.Settings(1, 0, 1, RESPONSE, false, seed));
        List<RolloutGroup> groups = IntStream.range(0, prompts.size())
                .mapToObj(i -> new RolloutGroup(
                        prompts.get(i).id(),
                        false,
                        provenance,
                        prompts.get(i).ids(),
                        samples.subList(i * 8, (i + 1) * 8).stream()
                                .map(GrpoStepBench::rollout)
                                .toList()))
                .toList();
        sampling = System.nanoTime() - start;
        return groups;
    }

    /** The reward of the peer's script: how many different tokens. */
    private static Rollout rollout(Generation sample) {
        double unlike = Arrays.stream(sample.ids()).distinct().count() / (double) RESPONSE;
        Map<String, Double> terms = Terms.of(unlike, 0, 0, 0, 0, 0, 0, 0);
        return new Rollout(
                sample.ids(),
                sample.policyLogProbabilities(),
                FinishReason.LENGTH,
                "",
                new Rollout.Reward(unlike, terms, ConfusionOutcome.TN, 0, 0, 0));
    }

    @Override
    public PolicyEvaluation evaluate(CausalLm policy, List<PromptExample> prompts) {
        throw new UnsupportedOperationException("no prompts are held out");
    }
}
