package dev.prpf.par.training;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.base.run.ProcessMemory;
import dev.prpf.par.engine.AttentionShape;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.FusedShape;
import dev.prpf.par.engine.GradientMemory;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.Script;
import dev.prpf.par.engine.TinyModels;
import dev.prpf.par.engine.TorchRuntime;
import dev.prpf.par.engine.WeightSource;
import dev.prpf.par.generate.GenerationSettings;
import dev.prpf.par.generate.Requests;
import dev.prpf.par.lora.LoraAdapters;
import dev.prpf.par.lora.LoraSettings;
import dev.prpf.par.sets.SftExample;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Trains adapters of models that are large enough to see each term of {@link TrainingMemory} in the resident memory; prints each term's estimate
 * and what was resident.
 */
final class MemoryTermsWork {
    private static final LoraSettings LORA = new LoraSettings(128, 256, null);
    private static final int PROMPT = 512;
    private static final int ROWS = 2;
    private static final int PROMPTS = 2;
    private static final int GROUP = 4;

    private final DecoderConfig model;
    private final SftConfig config;
    private final List<SftExample> examples;
    private final String name;

    private MemoryTermsWork(String name, DecoderConfig model, Precision precision, boolean checkpointing, int length) {
        this.name = name;
        this.model = model;
        config = TrainingMemoryTest.lora(ROWS, precision, checkpointing, LORA);
        examples = IntStream.range(0, ROWS)
                .mapToObj(i -> new SftExample(ids(length - length / 4), ids(length / 4)))
                .toList();
    }

    private static long[] ids(int length) {
        return LongStream.range(0, length).map(i -> (length * i + 3) % 1000).toArray();
    }

    /** @param arguments names of shapes */
    public static void main(String[] arguments) {
        DecoderConfig small = TinyModels.config(1000, 1024, true);
        new MemoryTermsWork("warm", small, Precision.BF16, true, 64).run();
        for (String shape : arguments) {
            work(shape).run();
        }
    }

    private static MemoryTermsWork work(String shape) {
        AttentionShape grouped = AttentionShape.of(8, 4, 64, 1e5);
        DecoderConfig llama = TinyModels.llama(8192, 512, 1536, 4, grouped, 4096, true, List.of(2));
        return switch (shape) {
            case "llama-bf16" -> new MemoryTermsWork(shape, llama, Precision.BF16, true, 1536);
            case "llama-fp32" -> new MemoryTermsWork(shape, llama, Precision.FP32, false, 768);
            case "qwen3.5-bf16" ->
                new MemoryTermsWork(shape, TinyModels.wide35(16_384, 512), Precision.BF16, true, 1536);
            case "135m" ->
                new MemoryTermsWork(
                        shape,
                        TinyModels.llama(
                                49_152, 576, 1536, 30, AttentionShape.of(9, 3, 64, 1e5), 4096, true, List.of(2)),
                        Precision.BF16,
                        true,
                        2048);
            default -> throw new IllegalArgumentException(shape);
        };
    }

    private WeightSource source() {
        Map<String, long[]> shapes = model.parameterShapes();
        return (scratch, names) -> names.stream()
                .map(weight -> Script.decoder()
                        .differentiable(
                                scratch,
                                "normal",
                                Objects.requireNonNull(shapes.get(weight)),
                                0.02,
                                TorchRuntime.anchor()))
                .toArray(PtNDArray[]::new);
    }

    private void run() {
        TrainingMemory estimate = SftMemory.of(config, model, examples);
        Precision precision = config.precision().resolve();
        long start = resident();
        CausalLm base = CausalLm.of(FusedShape.linear(model, precision), source());
        long loaded = print("weights", estimate.held().weights(), start);
        ComputeSettings compute = new ComputeSettings(precision, false, config.gradientCheckpointing());
        compileKernels(base, compute);
        long compiled = resident();
        LoraAdapters adapters = LoraAdapters.fresh(model, LORA, 1);
        long adapted = print("adapters", estimate.held().adapters(), compiled);
        try (TrainableDecoder decoder = TrainableDecoder.adapted(base, adapters, null)) {
            FusedAdamW optimizer = FusedAdamW.fresh(decoder, new AdamWSettings(0.9, 0.99, 1e-8, 0));
            optimizer.weightNorm();
            long before = print("moments", estimate.held().moments(), adapted);
            peak("whole", estimate.held().bytes() + estimate.update(), start + compiled - loaded, () -> {
                new SftLoss(decoder, compute).backward(examples, 100);
                optimizer.step(1e-4, 1);
            });
            print("gradients", estimate.held().gradients(), before);
            batch(DecoderPass.of(decoder, compute), estimate.batch());
            sample(decoder, precision);
        }
    }

    /** oneDNN compiles a kernel for each shape; all of them exist before the measurement. */
    private void compileKernels(CausalLm base, ComputeSettings compute) {
        try (LoraAdapters adapters = LoraAdapters.fresh(model, LORA, 1)) {
            TrainableDecoder decoder = TrainableDecoder.adapted(base, adapters, null);
            new SftLoss(decoder, compute).backward(examples, 100);
            generate(decoder, compute.precision());
        }
    }

    private void batch(DecoderPass pass, GradientMemory.Parts parts) {
        try (PtNDManager scratch = TorchRuntime.newManager()) {
            SftBatch batch = SftBatch.of(scratch, examples);
            long before = resident();
            try (DecoderPass.Forward forward = pass.forward(scratch, batch, true)) {
                long kept = print("activations", parts.activations(), before);
                peak("logits", parts.logits(), kept, () -> forward.loss(100, 1));
                peak("layer", parts.layer(), resident(), forward::backward);
            }
        }
    }

    private void sample(TrainableDecoder decoder, Precision precision) {
        TrainingMemory.Sampling sampling =
                new TrainingMemory.Estimator(config, model).sampling(PROMPTS * GROUP, PROMPTS, PROMPT, 8);
        peak("sampling", sampling.bytes(), resident(), () -> generate(decoder, precision));
    }

    private static Object generate(TrainableDecoder decoder, Precision precision) {
        List<long[]> prompts = IntStream.range(0, PROMPTS * GROUP)
                .mapToObj(i -> ids(PROMPT - i / GROUP))
                .toList();
        try (CausalLm policy = decoder.decoder(precision)) {
            return Requests.generate(policy, prompts, GenerationSettings.greedy(8, List.of(), prompts.size()));
        }
    }

    private long print(String term, long estimated, long before) {
        long now = resident();
        report(term, estimated, now - before);
        return now;
    }

    private void peak(String term, long estimated, long before, Runnable work) {
        ProcessMemory.resetPeak();
        work.run();
        report(term, estimated, Objects.requireNonNull(ProcessMemory.peakBytes()) - before);
    }

    private void report(String term, long estimated, long measured) {
        System.out.printf(Locale.ROOT, "%s %s %.1f %.1f%n", name, term, estimated / 1e6, measured / 1e6);
    }

    private static long resident() {
        System.gc();
        return Objects.requireNonNull(ProcessMemory.residentBytes());
    }
}
