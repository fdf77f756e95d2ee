package dev.prpf.par.training;

import dev.prpf.base.run.ProcessMemory;
import dev.prpf.par.engine.AttentionShape;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.ModelInit;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.TinyModels;
import dev.prpf.par.sets.SftExample;
import dev.prpf.par.training.TrainingConfig.AdamWSettings;
import dev.prpf.par.training.TrainingConfig.ComputeSettings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Random;

/**
 * Tokens a second of supervised fine-tuning at the shape of SmolLM2-135M. Batches have 8 sequences of 256 tokens, half of each supervised; AdamW on
 * float32 weights. No test; benchmarks/sft/README.md says how to run it. Arguments: steps, fp32 or bf16, plain or checkpointing.
 */
final class SftStepBench {
    private static final int VOCABULARY = 49_152;
    private static final int BATCH = 8;
    private static final int LENGTH = 256;

    private SftStepBench() {}

    /** Runs the benchmark's steps. */
    public static void main(String[] arguments) {
        int steps = Integer.parseInt(arguments[0]);
        Precision precision = Precision.valueOf(arguments[1].toUpperCase(Locale.ROOT));
        ComputeSettings compute = new ComputeSettings(precision, false, arguments[2].equals("checkpointing"));
        double[] seconds = new double[steps];
        DecoderWeights weights = ModelInit.drawn(TinyModels.llama(
                VOCABULARY, 576, 1536, 30, AttentionShape.of(9, 3, 64, 100_000), 2048, true, List.of(1)));
        try (TrainableDecoder decoder = TrainableDecoder.full(weights)) {
            SftLoss loss = new SftLoss(decoder, compute);
            FusedAdamW optimizer = FusedAdamW.fresh(decoder, new AdamWSettings(0.9, 0.999, 1e-8, 0.01));
            List<SftExample> examples = examples();
            for (int i = 0; i < steps; i++) {
                long start = System.nanoTime();
                loss.backward(examples, SftBatch.supervisedTokens(examples));
                optimizer.step(1e-5, 1.0);
                seconds[i] = (System.nanoTime() - start) / 1e9;
            }
        }
        Arrays.sort(seconds);
        double median = seconds[steps / 2];
        System.out.printf(
                Locale.ROOT,
                "SFT step, %s %s: median %.2f s, %.0f tokens/s; peak resident %d MB%n",
                arguments[1],
                arguments[2],
                median,
                BATCH * LENGTH / median,
                resident());
    }

    private static List<SftExample> examples() {
        Random random = new Random(1);
        List<SftExample> examples = new ArrayList<>();
        for (int i = 0; i < BATCH; i++) {
            examples.add(new SftExample(
                    random.longs(LENGTH / 2, 2, VOCABULARY).toArray(),
                    random.longs(LENGTH / 2, 2, VOCABULARY).toArray()));
        }
        return examples;
    }

    private static long resident() {
        return Objects.requireNonNull(ProcessMemory.peakBytes()) / 1_000_000;
    }
}
