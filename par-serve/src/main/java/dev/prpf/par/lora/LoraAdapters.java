package dev.prpf.par.lora;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.Script;
import dev.prpf.par.engine.Tensors;
import dev.prpf.par.engine.TorchRuntime;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The matrices A (rank, in) and B (out, rank) of some of a decoder's matrices (out, in); owns their memory.
 *
 * @param targets names of the adapted matrices, in the decoder's order
 * @param arrays A and B of every target by name: {@code model.layers.0.self_attn.q_proj.lora_A.weight}. Closing them is this object's business
 * @param manager owns them; attach what should live as long as the adapters
 */
public record LoraAdapters(
        LoraSettings settings, List<String> targets, Map<String, PtNDArray> arrays, PtNDManager manager)
        implements AutoCloseable {
    static final String A = ".lora_A.weight";
    static final String B = ".lora_B.weight";

    public LoraAdapters {
        arrays = Collections.unmodifiableMap(arrays);
    }

    /**
     * Adapters that change nothing yet: A uniform within 1 / sqrt(in), as PEFT begins, B zero.
     *
     * @param seed the same seed gives the same bytes
     * @throws dev.prpf.base.error.PrpfException 78 if a target names no matrix of the decoder
     */
    public static LoraAdapters fresh(DecoderWeights weights, LoraSettings settings, long seed) {
        Random random = new Random(seed);
        Map<String, PtNDArray> arrays = new LinkedHashMap<>();
        PtNDManager manager = TorchRuntime.newManager();
        settings.shapesIn(weights.config()).forEach((name, shape) -> {
            float[] values = new float[Math.toIntExact(shape[0] * shape[1])];
            for (int i = 0; name.endsWith(A) && i < values.length; i++) {
                values[i] = (float) ((2 * random.nextDouble() - 1) / Math.sqrt((double) shape[1]));
            }
            arrays.put(name, Tensors.create(manager, shape, values));
        });
        return new LoraAdapters(settings, settings.targetsIn(weights.config()), arrays, manager);
    }

    /** Values that adapters of a decoder will have. */
    public static long parameterCount(DecoderConfig config, LoraSettings settings) {
        return settings.shapesIn(config).values().stream()
                .mapToLong(shape -> shape[0] * shape[1])
                .sum();
    }

    static String nameOf(String target, String part) {
        return target.substring(0, target.length() - ".weight".length()) + part;
    }

    /** Every A, in the order of the targets. */
    public PtNDArray[] a() {
        return part(A);
    }

    /** Every B, in the order of the targets. */
    public PtNDArray[] b() {
        return part(B);
    }

    private PtNDArray[] part(String part) {
        return targets.stream()
                .map(target -> Objects.requireNonNull(arrays.get(nameOf(target, part))))
                .toArray(PtNDArray[]::new);
    }

    /** Where the targets stand among the decoder's weights. */
    public long[] places(DecoderWeights weights) {
        return targets.stream().mapToLong(weights::place).toArray();
    }

    /** W + alpha / rank B A, as float32. The result shares what is not adapted with {@code weights}, which must live longer. */
    public DecoderWeights merged(DecoderWeights weights) {
        PtNDManager owner = TorchRuntime.newManager();
        long[] places = places(weights);
        PtNDArray[] all =
                Script.decoder().tensors(owner, "adapted", weights.plain(), places, a(), b(), settings.scale());
        Map<String, PtNDArray> merged = new LinkedHashMap<>();
        for (int i = 0; i < places.length; i++) {
            merged.put(targets.get(i), all[(int) places[i]]);
        }
        Set<Integer> kept = Arrays.stream(places).mapToObj(place -> (int) place).collect(Collectors.toSet());
        IntStream.range(0, all.length).filter(i -> !kept.contains(i)).forEach(i -> all[i].close());
        return weights.with(owner, merged);
    }

    @Override
    public void close() {
        manager.close();
    }
}
