package dev.prpf.par.training;

import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.IValue;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DecoderParameters;
import dev.prpf.par.engine.GradientMemory;
import dev.prpf.par.engine.Script;
import dev.prpf.par.engine.Tensors;
import dev.prpf.par.engine.TorchRuntime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * LoRA matrices A (rank, in) and B (out, rank) for some of a decoder's matrices (out, in); owns their memory.
 *
 * @param targets names of the adapted matrices, in the decoder's order
 * @param arrays A and B of every target by name: {@code model.layers.0.self_attn.q_proj.lora_A.weight}. Closed by this object
 * @param manager owns the arrays; attach arrays that should live as long as the adapters
 */
record LoraAdapters(LoraSettings settings, List<String> targets, Map<String, PtNDArray> arrays, PtNDManager manager)
        implements AutoCloseable {
    static final String A = ".lora_A.weight";
    static final String B = ".lora_B.weight";

    public LoraAdapters {
        arrays = Collections.unmodifiableMap(arrays);
    }

    /**
     * Makes adapters without effect, initialised like PEFT's: A uniform within 1 / sqrt(in), B zero.
     *
     * @param seed of A; equal seeds give equal bytes
     * @throws dev.prpf.base.error.PrpfException 78 if a target names no matrix of the decoder
     */
    public static LoraAdapters fresh(DecoderConfig config, LoraSettings settings, long seed) {
        Random random = new Random(seed);
        Map<String, PtNDArray> arrays = new LinkedHashMap<>();
        PtNDManager manager = TorchRuntime.newManager();
        settings.shapesIn(config).forEach((name, shape) -> {
            float[] values = new float[Math.toIntExact(shape[0] * shape[1])];
            for (int i = 0; name.endsWith(A) && i < values.length; i++) {
                values[i] = (float) ((2 * random.nextDouble() - 1) / Math.sqrt((double) shape[1]));
            }
            arrays.put(name, Tensors.create(manager, shape, values));
        });
        return new LoraAdapters(settings, settings.targetsIn(config), arrays, manager);
    }

    /** Number of values of a decoder's adapters. */
    public static long parameterCount(DecoderConfig config, LoraSettings settings) {
        return settings.shapesIn(config).values().stream()
                .mapToLong(shape -> shape[0] * shape[1])
                .sum();
    }

    /** Returns the size of the adapters of each layer's products, with B padded by zeros. */
    public static List<List<GradientMemory.Adapters>> byLayer(DecoderConfig config, LoraSettings settings) {
        Set<String> targets = Set.copyOf(settings.targetsIn(config));
        Map<String, long[]> shapes = config.parameterShapes();
        return IntStream.range(0, config.layers())
                .mapToObj(layer -> DecoderParameters.products(config, layer).stream()
                        .map(product -> inProduct(product, targets, shapes, settings.rank()))
                        .toList())
                .toList();
    }

    private static GradientMemory.Adapters inProduct(
            List<String> matrices, Set<String> targets, Map<String, long[]> shapes, int rank) {
        long ranks = rank * matrices.stream().filter(targets::contains).count();
        long in = Objects.requireNonNull(shapes.get(matrices.get(0)))[1];
        long out = matrices.stream()
                .mapToLong(name -> Objects.requireNonNull(shapes.get(name))[0])
                .sum();
        return new GradientMemory.Adapters(ranks, in, out);
    }

    /** Returns the maximum memory of {@link #merged} for one weight of a bfloat16 or float32 file. */
    public static long mergeBytes(DecoderConfig config, LoraSettings settings) {
        Set<String> adapted = Set.copyOf(settings.targetsIn(config));
        return config.parameterShapes().entrySet().stream()
                .mapToLong(weight ->
                        (adapted.contains(weight.getKey()) ? 2L * Float.BYTES : Float.BYTES) * values(weight.getValue())
                                + Short.BYTES * values(weight.getValue()))
                .max()
                .orElseThrow();
    }

    private static long values(long[] shape) {
        return Arrays.stream(shape).reduce(1, Math::multiplyExact);
    }

    static String nameOf(String target, String part) {
        return target.substring(0, target.length() - ".weight".length()) + part;
    }

    /**
     * Returns the layers of a frozen decoder with these adapters. Adapters are separate products; no matrix is merged. Gradients reach the
     * adapters if the thread's gradient mode is on.
     *
     * @param base the frozen decoder, with the kernel of training
     * @return a function from a layer's number to the layer, which the caller closes
     */
    public IntFunction<IValue> layers(CausalLm base) {
        List<PtNDArray[]> a = new ArrayList<>();
        List<PtNDArray[]> b = new ArrayList<>();
        Map<String, long[]> shapes = base.config().parameterShapes();
        for (int i = 0; i < base.config().layers(); i++) {
            List<String> names = DecoderParameters.matrices(base.config(), i);
            a.add(names.stream()
                    .map(name -> orEmpty(name, A, 0, Objects.requireNonNull(shapes.get(name))[1]))
                    .toArray(PtNDArray[]::new));
            b.add(names.stream()
                    .map(name -> orEmpty(name, B, Objects.requireNonNull(shapes.get(name))[0], 0))
                    .toArray(PtNDArray[]::new));
        }
        return i -> Script.decoder()
                .differentiableValue("adapted_layer", base.fused(), (long) i, a.get(i), b.get(i), settings.scale());
    }

    private PtNDArray orEmpty(String name, String part, long rows, long columns) {
        PtNDArray adapter = arrays.get(nameOf(name, part));
        return adapter != null ? adapter : (PtNDArray) manager.create(new float[0], new Shape(rows, columns));
    }

    /**
     * Returns a weight of the base as float32: W + alpha / rank B A for a target, otherwise unchanged.
     *
     * @param scratch owns the result
     */
    public PtNDArray merged(PtNDManager scratch, String name, PtNDArray weight) {
        PtNDArray a = arrays.get(nameOf(name, A));
        PtNDArray b = arrays.get(nameOf(name, B));
        return a == null || b == null
                ? Tensors.float32(scratch, weight)
                : Script.decoder().tensor(scratch, "merged", weight, a, b, settings.scale());
    }

    @Override
    public void close() {
        manager.close();
    }
}
