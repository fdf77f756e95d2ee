package dev.prpf.par.training;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.IValue;
import ai.djl.pytorch.jni.JniUtils;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.RotaryTables;
import dev.prpf.par.engine.ScriptShape;
import dev.prpf.par.lora.LoraAdapters;
import dev.prpf.par.sets.SftExample;
import dev.prpf.par.vision.Picture;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A decoder in training: all of its weights learn, or adapters beside frozen ones do; a vision tower beside it may learn too. Owns all of
 * them.
 */
public final class TrainableDecoder implements AutoCloseable {
    private final DecoderWeights weights;
    private final @Nullable LoraAdapters adapters;
    private final PtNDArray[] plain;
    private final long[] places;
    private final PtNDArray[] a;
    private final PtNDArray[] b;
    private final double scale;
    private final RotaryTables rotary;
    private final ScriptShape shape;
    private final @Nullable TrainingVision vision;

    private TrainableDecoder(DecoderWeights weights, @Nullable LoraAdapters adapters, @Nullable TrainingVision vision) {
        this.weights = weights;
        this.adapters = adapters;
        this.vision = vision;
        plain = weights.plain();
        places = adapters == null ? new long[0] : adapters.places(weights);
        a = adapters == null ? new PtNDArray[0] : adapters.a();
        b = adapters == null ? new PtNDArray[0] : adapters.b();
        scale = adapters == null ? 0 : adapters.settings().scale();
        rotary = new RotaryTables(weights.config(), manager());
        shape = new ScriptShape(weights.config());
        parameters().values().forEach(array -> array.setRequiresGradient(true));
    }

    /** All weights learn; float32. */
    public static TrainableDecoder full(DecoderWeights weights) {
        return new TrainableDecoder(weights, null, null);
    }

    /** Adapters learn. */
    public static TrainableDecoder adapted(DecoderWeights frozen, LoraAdapters adapters) {
        return new TrainableDecoder(frozen, adapters, null);
    }

    /**
     * A decoder that may see.
     *
     * @param adapters that learn beside frozen weights; null if all weights learn
     * @param vision what it sees pictures with; null where it sees none
     */
    public static TrainableDecoder of(
            DecoderWeights weights, @Nullable LoraAdapters adapters, @Nullable TrainingVision vision) {
        return new TrainableDecoder(weights, adapters, vision);
    }

    /** What it sees pictures with; null where it sees none. */
    @Nullable
    public TrainingVision vision() {
        return vision;
    }

    /**
     * What stands in a batch for the pictures of its examples.
     *
     * @param learn whether gradients are wanted
     */
    public BatchPictures pictures(PtNDManager scratch, List<SftExample> examples, boolean learn) {
        List<Picture> shown = examples.stream()
                .flatMap(example -> example.pictures().stream())
                .toList();
        if (shown.isEmpty()) {
            return BatchPictures.none(scratch);
        }
        if (vision == null) {
            throw new IllegalStateException("a batch shows " + shown.size() + " pictures, the decoder has no vision");
        }
        return vision.see(scratch, shown, learn);
    }

    public DecoderConfig config() {
        return weights.config();
    }

    /** The weights, those under adapters as they were before. */
    public DecoderWeights weights() {
        return weights;
    }

    /** The list the TorchScript text calls plain; not to be changed. */
    PtNDArray[] plain() {
        return plain;
    }

    @Nullable
    public LoraAdapters adapters() {
        return adapters;
    }

    /** What learns, by name. */
    public Map<String, PtNDArray> parameters() {
        Map<String, PtNDArray> parameters =
                new LinkedHashMap<>(adapters == null ? weights.arrays() : adapters.arrays());
        if (vision != null) {
            parameters.putAll(vision.parameters());
        }
        return parameters;
    }

    /** Owns what learns. */
    public PtNDManager manager() {
        return adapters == null ? weights.manager() : adapters.manager();
    }

    RotaryTables.Pair rotary(SftBatch batch) {
        return rotary.upTo(Math.toIntExact(batch.ids().getShape().get(1)));
    }

    /**
     * All that a method of the script asks for which runs the whole decoder on a batch.
     *
     * @param more what it asks for behind the batch's arrays
     * @param last what it asks for in the end: a divisor, a temperature
     */
    public Object[] arguments(SftBatch batch, List<PtNDArray> more, Precision precision, double last) {
        RotaryTables.Pair tables = rotary(batch);
        List<Object> all = new ArrayList<>(List.of(
                batch.ids(),
                batch.positions(),
                batch.sequences(),
                batch.where(),
                batch.labels(),
                batch.at(),
                batch.pictures().features()));
        all.addAll(more);
        all.addAll(List.of(
                plain,
                places,
                a,
                b,
                scale,
                tables.cosines(),
                tables.sines(),
                tables.axes(),
                shape.value(),
                precision.scalarType(),
                last));
        return all.toArray();
    }

    /** Adds the gradient of a loss, one number, to those of what it was computed from. */
    public static void backward(PtNDManager scratch, PtNDArray loss) {
        try (PtNDArray one = (PtNDArray) scratch.create(1f)) {
            JniUtils.backward(loss, one, false, false);
        }
    }

    /** The shape that the script's methods ask for. */
    IValue shape() {
        return shape.value();
    }

    /** What the script's methods ask for as {@code w, places, a, b, s} of one layer. */
    Object[] layerArguments(int layer) {
        int begin = weights.begin(layer);
        int end = weights.begin(layer + 1);
        int[] targets = IntStream.range(0, places.length)
                .filter(i -> places[i] >= begin && places[i] < end)
                .toArray();
        return new Object[] {
            Arrays.copyOfRange(plain, begin, end),
            Arrays.stream(targets).mapToLong(i -> places[i] - begin).toArray(),
            Arrays.stream(targets).mapToObj(i -> a[i]).toArray(PtNDArray[]::new),
            Arrays.stream(targets).mapToObj(i -> b[i]).toArray(PtNDArray[]::new),
            scale
        };
    }

    /** A decoder that runs what has been learned so far; it stays as it is when learning goes on. */
    public CausalLm decoder(Precision precision) {
        if (adapters == null) {
            return CausalLm.of(weights, precision);
        }
        try (DecoderWeights merged = adapters.merged(weights)) {
            return CausalLm.of(merged, precision);
        }
    }

    @Override
    public void close() {
        if (adapters != null) {
            adapters.close();
        }
        if (vision != null) {
            vision.close();
        }
        shape.close();
        weights.close();
    }
}
