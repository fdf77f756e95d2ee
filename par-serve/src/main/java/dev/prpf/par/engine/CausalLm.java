package dev.prpf.par.engine;

import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.IValue;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InsufficientMemoryException;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.SafeTensors;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/**
 * A decoder ready for forward passes. Its weights are fused copies (query, key and value in one matrix, gate and up in one). The original {@link
 * DecoderWeights} may be closed. Thread-safe.
 */
public final class CausalLm implements AutoCloseable {
    static final PtNDArray[] NO_ARRAYS = {};

    private final DecoderConfig config;
    private final FusedShape shape;
    private final PtNDManager manager;
    private final ScriptShape scriptShape;
    private final IValue fused;
    private final RotaryTables rotary;

    /** Whether another decoder owns everything except the layers. */
    private final boolean shared;

    private CausalLm(WeightSource source, FusedShape shape) {
        config = shape.config();
        this.shape = shape;
        shared = false;
        scriptShape = new ScriptShape(config);
        manager = TorchRuntime.newManager();
        try {
            fused = fuse(source);
            rotary = new RotaryTables(config, manager);
        } catch (RuntimeException e) {
            manager.close();
            scriptShape.close();
            throw e;
        }
    }

    private CausalLm(CausalLm other, IValue fused) {
        config = other.config;
        shape = other.shape;
        scriptShape = other.scriptShape;
        manager = other.manager;
        rotary = other.rotary;
        shared = true;
        this.fused = fused;
    }

    /**
     * Returns a decoder with its own layers that shares everything else with this decoder. Close the returned decoder first.
     *
     * @param layers creates the layer of an index, the script's {@code Layer}
     */
    public CausalLm with(IntFunction<IValue> layers) {
        IValue others = Script.decoder().value("ends", fused);
        try {
            for (int i = 0; i < config.layers(); i++) {
                try (IValue layer = layers.apply(i)) {
                    Script.decoder().value("add_layer", others, layer).close();
                }
            }
            return new CausalLm(this, others);
        } catch (RuntimeException e) {
            others.close();
            throw e;
        }
    }

    /** Converts embedding and head first, since each is converted whole, then layer by layer. */
    private IValue fuse(WeightSource source) {
        DecoderParameters parameters = new DecoderParameters(config);
        List<String> names = parameters.places();
        IValue made = ends(source, names);
        try {
            for (int layer = 0; layer < config.layers(); layer++) {
                List<String> own = names.subList(parameters.begin(layer), parameters.begin(layer + 1));
                try (PtNDManager scratch = TorchRuntime.newManager()) {
                    Script.decoder()
                            .differentiableValue("fuse_next", made, source.read(scratch, own), 0L)
                            .close();
                }
            }
            return made;
        } catch (RuntimeException e) {
            made.close();
            throw e;
        }
    }

    private IValue ends(WeightSource source, List<String> names) {
        MatmulKernel kernel = shape.kernel();
        String norm = names.get(names.size() - 2);
        String head = names.get(names.size() - 1);
        boolean tied = head.equals(DecoderParameters.EMBEDDING);
        try (PtNDManager scratch = TorchRuntime.newManager()) {
            PtNDArray[] read = source.read(scratch, List.of(DecoderParameters.EMBEDDING, norm));
            PtNDArray[] last = !tied
                    ? source.read(scratch, List.of(head))
                    : kernel.plain() ? NO_ARRAYS : new PtNDArray[] {read[0]};
            return Script.decoder()
                    .differentiableValue(
                            "fuse_ends",
                            read[0],
                            read[1],
                            last,
                            scriptShape.value(),
                            kernel.activations(shape.precision()).scalarType(),
                            kernel.label());
        }
    }

    /** Creates a decoder with the kernel of a shape. Only matrices of the training kernel pass gradients on. */
    public static CausalLm of(FusedShape shape, WeightSource source) {
        return new CausalLm(source, shape);
    }

    /** Creates a decoder from the current weights, with the matmul kernel that is fastest on this machine for the precision. */
    public static CausalLm of(DecoderWeights weights, Precision precision) {
        return new CausalLm(weights, FusedShape.of(weights.config(), precision));
    }

    static CausalLm of(DecoderWeights weights, Precision precision, MatmulKernel kernel) {
        return new CausalLm(weights, new FusedShape(weights.config(), precision, kernel));
    }

    public DecoderConfig config() {
        return config;
    }

    /** Returns its precision, kernel and memory. */
    public FusedShape shape() {
        return shape;
    }

    /**
     * Computes the logits of the next token at every position of one sequence.
     *
     * @param taker receives them as a float32 tensor (T, V) that is valid only during the call
     * @throws PrpfException 3 if they would not fit, 65 for NaN
     */
    public void logits(Prompt prompt, Consumer<SafeTensors.Tensor> taker) {
        check(prompt, "the sequence");
        long[] ids = prompt.ids();
        long bytes = (long) ids.length * config.vocabularySize() * Float.BYTES;
        requireRoom(bytes, FreeMemory.bytes(bytes));
        try (PtNDManager scratch = TorchRuntime.newManager()) {
            PtNDArray where = longs(scratch, RotaryTables.positions(ids.length), ids.length);
            TokenInputs inputs = new TokenInputs();
            inputs.add(ids, 0, prompt.images());
            PtNDArray x = inputs.embeddings(this, scratch);
            try (IValue pass = pass(scratch, inputs.positions(scratch), ids.length)) {
                PtNDArray logits = Script.decoder().tensor(scratch, "logits", x, pass, where, fused);
                if (HostValues.flag(logits.isNaN().any())) {
                    throw noNumbers();
                }
                taker.accept(Tensors.float32(logits));
            }
        }
    }

    /** Returns the embeddings of tokens, (1, T, D) float32. */
    public PtNDArray embed(PtNDManager scratch, long[] ids) {
        return Script.decoder().tensor(scratch, "embed", longs(scratch, ids, 1, ids.length), fused);
    }

    /** Returns the second argument, after the embeddings, of the script's methods over one sequence without caches. */
    IValue pass(PtNDManager scratch, int length) {
        return pass(scratch, longs(scratch, RotaryTables.positions(length), 1, 1, length), length);
    }

    private IValue pass(PtNDManager scratch, PtNDArray positions, int length) {
        RotaryTables.Pair tables = rotary.upTo(length);
        return Script.decoder()
                .value(
                        "whole",
                        positions,
                        longs(scratch, new long[0], 0),
                        tables.cosines(),
                        tables.sines(),
                        tables.axes());
    }

    /** Returns the error for logits with a NaN. */
    public static PrpfException noNumbers() {
        return new InvalidDataException(
                "the model's logits are NaN; its weights are broken, or its activations overflowed",
                new ArithmeticException("NaN"));
    }

    /** Requires memory for a buffer; a buffer has fewer than 2^31 bytes. */
    static void requireRoom(long bytes, long free) {
        if (bytes > Math.min(free, Integer.MAX_VALUE)) {
            throw new InsufficientMemoryException(String.format(
                    Locale.ROOT,
                    "the logits take %.2f GB; %.2f GB are free%s and at most %.2f GB can be handed over at once: give"
                            + " fewer tokens",
                    bytes / 1e9,
                    free / 1e9,
                    FreeMemory.place(),
                    Integer.MAX_VALUE / 1e9));
        }
    }

    /**
     * Rejects a prompt that the model cannot read.
     *
     * @param what names the prompt in messages
     * @throws PrpfException 65 for ids outside the vocabulary (libtorch would read foreign memory), or too many tokens. 65 for another model's image
     *     features; 78 for images and a text model
     */
    public void check(Prompt prompt, String what) {
        checkIds(prompt.ids(), what);
        checkImages(prompt.images(), what);
    }

    private void checkIds(long[] ids, String what) {
        if (ids.length == 0 || ids.length > config.maxPositions()) {
            throw new InvalidDataException(
                    what + " has " + ids.length + " tokens; the model takes 1 to " + config.maxPositions());
        }
        for (long id : ids) {
            if (id < 0 || id >= config.vocabularySize()) {
                throw new InvalidDataException(
                        what + " holds token " + id + "; the vocabulary ends at " + (config.vocabularySize() - 1));
            }
        }
    }

    private void checkImages(ImageInputs images, String what) {
        if (!images.isEmpty() && config.attention().ropeSections().isEmpty()) {
            throw new InvalidConfigurationException(
                    what + " has images, but the model is one of text (no mrope_section); take one that sees");
        }
        for (ImageFeatures image : images.features()) {
            if (image.width() != config.hiddenSize()) {
                throw new InvalidDataException(
                        what + " has an image whose features are " + image.width() + " wide; the model takes "
                                + config.hiddenSize() + ": they are from another model's vision encoder");
            }
        }
    }

    /** Returns the script's {@code Fused}, which the caller must not close. */
    public IValue fused() {
        return fused;
    }

    public RotaryTables rotary() {
        return rotary;
    }

    public static PtNDArray longs(PtNDManager owner, long[] values, long... shape) {
        return (PtNDArray) owner.create(values, new Shape(shape));
    }

    @Override
    public void close() {
        fused.close();
        if (!shared) {
            scriptShape.close();
            manager.close();
        }
    }
}
