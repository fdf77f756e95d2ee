package dev.prpf.par.training;

import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.RunDirectory.Resume;
import dev.prpf.base.run.StopSignal;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.FakeCard;
import dev.prpf.par.engine.ModelInit;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.TinyModels;
import dev.prpf.par.engine.TorchRuntime;
import dev.prpf.par.generate.Requests;
import dev.prpf.par.generate.SamplingParams;
import dev.prpf.par.generate.Scheduler;
import dev.prpf.par.generate.Scheduler.SchedulerSettings;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.sets.PromptSplit;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Work on a {@link FakeCard}; prints how many arrays and managers live after the first step of each kind, and the most after any other. */
final class CardWork {
    static final int DECODE_STEPS = 500;
    static final int GRPO_STEPS = 12;
    static final int LORA_STEPS = 6;

    private CardWork() {}

    /** @param arguments a folder */
    public static void main(String[] arguments) throws IOException {
        FakeCard.insert();
        Path folder = Path.of(arguments[0]);
        Path model = folder.resolve("start");
        try (DecoderWeights weights =
                ModelInit.random(TinyModels.config(40, 64, true), new ModelInit.Scale(0.2, 0), 3)) {
            HuggingFaceDirectory.write(model, weights, null);
        }
        int before = FakeCard.attached();
        TorchRuntime.anchor().toFloatArray();
        print("control", List.of(before, FakeCard.attached()));
        print("decode", decode(model));
        print("grpo", train(model, folder.resolve("full"), null, GRPO_STEPS));
        print("grpo lora", train(model, folder.resolve("lora"), new LoraSettings(4, 8, List.of("q_proj")), LORA_STEPS));
    }

    private static void print(String work, List<Integer> counts) {
        int most = counts.stream().skip(1).mapToInt(Integer::intValue).max().orElseThrow();
        System.out.println(work + ": " + counts.get(0) + " " + most + " in " + counts.size());
    }

    /** Sequences join and leave, so that the caches are written everywhere. */
    private static List<Integer> decode(Path model) {
        List<Integer> counts = new ArrayList<>();
        try (CausalLm decoder = HuggingFaceDirectory.open(model).decoder(Precision.FP32);
                Scheduler scheduler = new Scheduler(decoder, SchedulerSettings.of(4, 48))) {
            while (counts.size() < DECODE_STEPS) {
                if (scheduler.idle()) {
                    for (int i = 0; i < 4; i++) {
                        scheduler.add(
                                Requests.of(new long[] {3, 5 + i}, SamplingParams.greedy(30 + i, List.of()), i, null),
                                null);
                    }
                }
                scheduler.step();
                counts.add(FakeCard.attached());
            }
        }
        return counts;
    }

    /** Checkpoints come every two steps; the count is taken before the next step begins. */
    private static List<Integer> train(Path model, Path run, @Nullable LoraSettings lora, int steps) {
        List<Integer> counts = new ArrayList<>();
        GrpoConfig config = GrpoTrainingTest.with(
                GrpoTrainingTest.config(1e-3, lora, 10, 0), "checkpoint-steps=2", "max-steps=" + steps);
        PromptSplit prompts = PromptSplit.split(BanditRollouts.prompts(20), config.devShare(), config.seed());
        RunDescription description = new RunDescription("reasoner grpo", List.of(), "x: 1\n", Map.of());
        TrainingFiles files = new TrainingFiles(model, run.resolve("model"), null);
        try (RunDirectory directory = RunDirectory.open(run, Resume.AUTO, description);
                StopSignal stop = StopSignal.install();
                GrpoTraining training = new GrpoTraining(
                        config,
                        files,
                        new GrpoTraining.Prompts(prompts, 1, 2, null),
                        new BanditRollouts(1),
                        directory)) {
            training.run(stop, step -> counts.add(FakeCard.attached()));
        }
        return counts;
    }
}
