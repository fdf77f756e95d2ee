package dev.prpf.par.training;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.base.files.SafeTensors;
import dev.prpf.par.engine.AttentionShape;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.FusedShape;
import dev.prpf.par.engine.GradientMemory;
import dev.prpf.par.engine.ModelInit;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.Script;
import dev.prpf.par.engine.TinyModels;
import dev.prpf.par.engine.TorchRuntime;
import dev.prpf.par.engine.WeightSource;
import dev.prpf.par.generate.Generator.GenerationSettings;
import dev.prpf.par.generate.Requests;
import dev.prpf.par.grpo.GrpoPreset;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.sets.SftExample;
import dev.prpf.par.training.PolicyGradient.ReferencePolicy;
import dev.prpf.par.training.TrainingConfig.AdamWSettings;
import dev.prpf.par.training.TrainingConfig.ComputeSettings;
import dev.prpf.par.training.TrainingVision.BatchImages;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Trains models that are large enough to see each term of {@link TrainingMemory} in the resident memory; prints each term's estimate and what was
 * resident.
 */
final class MemoryTermsWork {
    private static final AdamWSettings ADAMW = new AdamWSettings(0.9, 0.99, 1e-8, 0);
    private static final int PROMPT = 512;
    private static final int ROWS = 2;
    private static final int PROMPTS = 2;
    private static final int GROUP = 4;

    private final ResidentTerms terms;
    private final DecoderConfig model;
    private final @Nullable LoraSettings lora;
    private final SftConfig config;
    private final Precision precision;
    private final ComputeSettings compute;
    private final List<SftExample> examples;

    /** @param lora null where all weights learn */
    private MemoryTermsWork(
            String name, DecoderConfig model, @Nullable LoraSettings lora, ComputeSettings compute, int length) {
        terms = new ResidentTerms(name);
        this.model = model;
        this.lora = lora;
        this.compute = compute;
        precision = compute.precision();
        config = TrainingMemoryTest.lora(ROWS, precision, compute.checkpointing(), lora);
        examples = IntStream.range(0, ROWS)
                .mapToObj(i -> new SftExample(ids(length - length / 4), ids(length / 4)))
                .toList();
    }

    private static long[] ids(int length) {
        return LongStream.range(0, length).map(i -> (length * i + 3) % 1000).toArray();
    }

    /** @param arguments a folder for files, and names of shapes */
    public static void main(String[] arguments) throws IOException {
        Path folder = Path.of(arguments[0]);
        ComputeSettings checkpointed = new ComputeSettings(Precision.BF16, false, true);
        new MemoryTermsWork("warm", TinyModels.config(1000, 1024, true), lora(128, null), checkpointed, 64).run(folder);
        for (String shape : List.of(arguments).subList(1, arguments.length)) {
            work(shape).run(folder);
        }
    }

    private static LoraSettings lora(int rank, @Nullable List<String> targets) {
        return new LoraSettings(rank, 2.0 * rank, targets);
    }

    private static MemoryTermsWork work(String shape) {
        DecoderConfig llama =
                TinyModels.llama(8192, 512, 1536, 4, AttentionShape.of(8, 4, 64, 1e5), 4096, true, List.of(2));
        ComputeSettings checkpointed = new ComputeSettings(Precision.BF16, false, true);
        ComputeSettings plain = new ComputeSettings(Precision.FP32, false, false);
        LoraSettings all = lora(128, null);
        return switch (shape) {
            case "llama-bf16" -> new MemoryTermsWork(shape, llama, all, checkpointed, 1536);
            case "llama-fp32" -> new MemoryTermsWork(shape, llama, all, plain, 768);
            case "qwen3.5-bf16" -> new MemoryTermsWork(shape, TinyModels.wide35(16_384, 512), all, checkpointed, 1536);
            case "queries-values-fp32" ->
                new MemoryTermsWork(shape, llama, lora(128, List.of("q_proj", "v_proj")), plain, 768);
            case "queries-values-bf16" ->
                new MemoryTermsWork(
                        shape,
                        llama,
                        lora(128, List.of("q_proj", "v_proj")),
                        new ComputeSettings(Precision.BF16, false, false),
                        512);
            case "full-bf16" ->
                new MemoryTermsWork(shape, llama, null, new ComputeSettings(Precision.BF16, false, false), 768);
            case "full-fp32" -> new MemoryTermsWork(shape, llama, null, plain, 320);
            case "135m-rank-128" -> new MemoryTermsWork(shape, TinyModels.shape135m(), all, checkpointed, 1024);
            case "135m-rank-16" ->
                new MemoryTermsWork(shape, TinyModels.shape135m(), lora(16, null), checkpointed, 1024);
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

    private void run(Path work) throws IOException {
        TrainingMemory estimate = SftMemory.of(config, model, examples);
        if (lora == null) {
            full(estimate);
        } else {
            adapted(estimate, lora, work);
        }
    }

    private void adapted(TrainingMemory estimate, LoraSettings settings, Path work) throws IOException {
        long start = ResidentTerms.resident();
        CausalLm base = CausalLm.of(FusedShape.linear(model, precision), source());
        long loaded = terms.print("weights", estimate.held().weights(), start);
        compileKernels(base, settings);
        long compiled = ResidentTerms.resident();
        LoraAdapters adapters = LoraAdapters.fresh(model, settings, 1);
        long adapted = terms.print("adapters", estimate.held().adapters(), compiled);
        try (TrainableDecoder decoder = TrainableDecoder.adapted(base, adapters, null)) {
            steps(decoder, estimate, adapted, start + compiled - loaded);
            if (sampled()) {
                sample(decoder);
            }
        }
        if (sampled()) {
            merge(settings, estimate.written(), work);
        }
    }

    /** All weights learn, and GRPO has a reference. */
    private void full(TrainingMemory estimate) {
        try (TrainableDecoder decoder = TrainableDecoder.full(ModelInit.drawn(model))) {
            new SftLoss(decoder, compute).backward(examples, 100);
        }
        GradientMemory.Batch batch = SftBatch.size(examples, false);
        TrainingMemory.Estimator estimator = new TrainingMemory.Estimator(config, model);
        GradientMemory.Parts update =
                estimator.update(batch, DecoderPass.SCORED_LOGIT_BYTES, new TowerMemory.Shown(0, 0, 0));
        TrainingMemory grpo = estimator.memory(true, update, TrainingMemory.Sampling.NONE);
        long start = ResidentTerms.resident();
        DecoderWeights weights = ModelInit.drawn(model);
        long loaded = terms.print("weights", estimate.held().weights(), start);
        try (TrainableDecoder decoder = TrainableDecoder.full(weights)) {
            steps(decoder, estimate, loaded, start);
            long stepped = ResidentTerms.resident();
            CausalLm frozen = CausalLm.of(FusedShape.linear(model, precision), source());
            terms.print("reference", grpo.held().reference(), stepped);
            try (ReferencePolicy reference = ReferencePolicy.owning(frozen)) {
                PolicyGradient gradient =
                        new PolicyGradient(decoder, reference, GrpoPreset.PRPF.settings(), compute, 0.8, null);
                List<PolicyGradient.ScoredResponse> responses = PolicyGradientTest.responses(examples, 0);
                gradient.backward(responses, 100);
                terms.peak("update", grpo.update(), ResidentTerms.resident(), () -> gradient.backward(responses, 100));
            }
        }
    }

    /** The second step has gradients of the first one. */
    private void steps(TrainableDecoder decoder, TrainingMemory estimate, long before, long start) {
        FusedAdamW optimizer = FusedAdamW.fresh(decoder, ADAMW);
        optimizer.weightNorm();
        long optimised = terms.print("moments", estimate.held().moments(), before);
        Runnable step = () -> {
            new SftLoss(decoder, compute).backward(examples, 100);
            optimizer.step(1e-4, 1);
        };
        step.run();
        terms.peak("whole", estimate.held().bytes() + estimate.update(), start, step);
        terms.print("gradients", estimate.held().gradients(), optimised);
        batch(DecoderPass.of(decoder, compute), estimate.batch());
    }

    /** oneDNN compiles a kernel for each shape; all of them exist before the measurement. */
    private void compileKernels(CausalLm base, LoraSettings settings) {
        try (LoraAdapters adapters = LoraAdapters.fresh(model, settings, 1)) {
            TrainableDecoder decoder = TrainableDecoder.adapted(base, adapters, null);
            new SftLoss(decoder, compute).backward(examples, 100);
            if (sampled()) {
                generate(decoder);
            }
        }
    }

    /** Returns whether this shape's rollouts and merge are measured: not for variants that differ in other terms. */
    private boolean sampled() {
        return terms.name().startsWith("llama") || terms.name().startsWith("qwen");
    }

    private void batch(DecoderPass pass, GradientMemory.Parts parts) {
        try (PtNDManager scratch = TorchRuntime.newManager()) {
            SftBatch batch = SftBatch.of(scratch, examples, BatchImages.none(scratch));
            long before = ResidentTerms.resident();
            try (DecoderPass.Forward forward = pass.forward(scratch, batch, true)) {
                long kept = terms.print("activations", parts.activations(), before);
                terms.peak("logits", parts.logits(), kept, () -> forward.loss(100, 1));
                terms.peak("layer", parts.layer(), ResidentTerms.resident(), forward::backward);
            }
        }
    }

    private void sample(TrainableDecoder decoder) {
        TrainingMemory.Sampling sampling =
                new TrainingMemory.Estimator(config, model).sampling(PROMPTS * GROUP, PROMPTS, PROMPT, 8);
        terms.peak("sampling", sampling.bytes(), ResidentTerms.resident(), () -> generate(decoder));
    }

    /** Writes a merged model, of a base in bfloat16. */
    private void merge(LoraSettings settings, long estimated, Path work) throws IOException {
        Path folder = Files.createDirectory(work.resolve(terms.name()));
        try (DecoderWeights weights = ModelInit.drawn(model)) {
            HuggingFaceDirectory.write(folder, weights, null);
        }
        Map<String, SafeTensors.Tensor> halves = new LinkedHashMap<>();
        model.parameterShapes().forEach((weight, shape) -> {
            int values = Math.toIntExact(LongStream.of(shape).reduce(1, Math::multiplyExact));
            halves.put(weight, new SafeTensors.Tensor("BF16", shape, ByteBuffer.allocate(Short.BYTES * values)));
        });
        SafeTensors.write(folder.resolve("model.safetensors"), halves, Map.of("format", "pt"));
        halves.clear();
        try (LoraAdapters adapters = LoraAdapters.fresh(model, settings, 1)) {
            terms.peak("written", estimated, ResidentTerms.resident(), () -> {
                try {
                    HuggingFaceDirectory.open(folder).writeChanged(folder.resolve("merged"), adapters::merged, null);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }

    private Object generate(TrainableDecoder decoder) {
        List<long[]> prompts = IntStream.range(0, PROMPTS * GROUP)
                .mapToObj(i -> ids(PROMPT - i / GROUP))
                .toList();
        try (CausalLm policy = decoder.decoder(precision)) {
            return Requests.generate(policy, prompts, GenerationSettings.greedy(8, List.of(), prompts.size()));
        }
    }
}
