package dev.prpf.par.training;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.JniUtils;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.HostValues;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.RotaryTables;
import dev.prpf.par.engine.Script;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * A batch's way through a decoder with gradient checkpointing (arXiv:1604.06174): forward keeps only what goes into each layer, and backward
 * computes every layer again. Logits are computed for a chunk of rows at a time, so that they stay small whatever the vocabulary. Costs a forward pass
 * more; the numbers are those of {@code loss} and {@code logprobs} of the whole model but for the order of sums.
 */
public final class CheckpointedPass {
    private static final Script SCRIPT = Script.decoder();

    private final TrainableDecoder decoder;
    private final DecoderConfig config;
    private final Precision precision;
    private final int chunkSize;

    /**
     * A batch after its forward pass.
     *
     * @param inputs what went into each layer, (B, T, D); the last is what came out of the last
     * @param rows of it that are supervised, (rows, D); their gradient is where backward begins
     */
    public record Kept(List<PtNDArray> inputs, PtNDArray rows) {}

    public CheckpointedPass(TrainableDecoder decoder, Precision precision) {
        this(decoder, precision, SftBatch.logitRows(decoder.config()));
    }

    /** @param chunkSize rows of logits at a time */
    CheckpointedPass(TrainableDecoder decoder, Precision precision, int chunkSize) {
        this.decoder = decoder;
        this.precision = precision;
        this.chunkSize = chunkSize;
        config = decoder.config();
    }

    /** Runs the batch without a gradient. */
    public Kept forward(PtNDManager scratch, SftBatch batch) {
        List<PtNDArray> inputs = new ArrayList<>();
        inputs.add(first(scratch, batch));
        for (int layer = 0; layer < config.layers(); layer++) {
            inputs.add(layer(scratch, batch, layer, inputs.get(layer)));
        }
        PtNDArray rows = SCRIPT.differentiable(scratch, "rows_at", inputs.get(inputs.size() - 1), batch.where());
        rows.setRequiresGradient(true);
        return new Kept(inputs, rows);
    }

    private PtNDArray first(PtNDManager scratch, SftBatch batch) {
        PtNDArray embedding = decoder.plain()[0];
        return SCRIPT.differentiable(
                scratch,
                "first_piece",
                batch.ids(),
                batch.at(),
                batch.pictures().features(),
                embedding,
                decoder.shape(),
                precision.scalarType());
    }

    private PtNDArray layer(PtNDManager scratch, SftBatch batch, int layer, PtNDArray input) {
        RotaryTables.Pair tables = decoder.rotary(batch);
        Object[] arguments = Stream.of(
                        new Object[] {input, batch.positions(), batch.sequences(), (long) layer},
                        decoder.layerArguments(layer),
                        new Object[] {
                            tables.cosines(), tables.sines(), tables.axes(), decoder.shape(), precision.scalarType()
                        })
                .flatMap(Arrays::stream)
                .toArray();
        return SCRIPT.differentiable(scratch, "layer_piece", arguments);
    }

    /** The cross entropy, and its gradient with respect to the rows and the head where gradients are on. */
    SftLoss.Part loss(PtNDManager scratch, SftBatch batch, Kept kept, double divisor, long labels) {
        double loss = 0;
        long hits = 0;
        for (SftBatch.Piece piece : batch.pieces(chunkSize)) {
            PtNDArray[] found = head(scratch, "loss_piece", batch, kept, piece, divisor);
            float part = HostValues.number(found[0]);
            loss += part;
            hits += HostValues.whole(found[1]);
            if (JniUtils.isGradMode() && Float.isFinite(part)) {
                TrainableDecoder.backward(scratch, found[0]);
            }
            close(found);
        }
        return new SftLoss.Part(loss, labels, hits);
    }

    /** Log-probabilities of the labels and their entropies, (B, T) each as {@code rows} says, without a gradient. */
    public PtNDArray[] logProbabilities(PtNDManager scratch, ResponseBatch batch, Kept kept, double temperature) {
        List<PtNDArray> logProbabilities = new ArrayList<>();
        List<PtNDArray> entropies = new ArrayList<>();
        for (SftBatch.Piece piece : batch.tokens().pieces(chunkSize)) {
            PtNDArray[] found = head(scratch, "logprobs_piece", batch.tokens(), kept, piece, temperature);
            logProbabilities.add(found[0]);
            entropies.add(found[1]);
        }
        return SCRIPT.differentiables(
                scratch,
                "pieces_in_rows",
                logProbabilities.toArray(PtNDArray[]::new),
                entropies.toArray(PtNDArray[]::new),
                batch.rows());
    }

    /**
     * Brings a gradient with respect to the log-probabilities to the rows and the head.
     *
     * @param gradient (B, T)
     */
    public void backwardOfLogProbabilities(
            PtNDManager scratch, ResponseBatch batch, Kept kept, PtNDArray gradient, double temperature) {
        PtNDArray ofLabels = SCRIPT.differentiable(
                scratch,
                "from_rows",
                gradient,
                batch.rows(),
                batch.mask(),
                batch.tokens().labels());
        for (SftBatch.Piece piece : batch.tokens().pieces(chunkSize)) {
            PtNDArray[] found = head(scratch, "logprobs_piece", batch.tokens(), kept, piece, temperature);
            try (PtNDArray part = SCRIPT.differentiable(scratch, "part", ofLabels, piece.begin(), piece.end())) {
                JniUtils.backward(found[0], part, false, false);
            }
            close(found);
        }
    }

    private PtNDArray[] head(
            PtNDManager scratch, String method, SftBatch batch, Kept kept, SftBatch.Piece piece, double last) {
        PtNDArray[] plain = decoder.plain();
        return SCRIPT.differentiables(
                scratch,
                method,
                kept.rows(),
                piece.begin(),
                piece.end(),
                batch.labels(),
                plain[plain.length - 2],
                plain[plain.length - 1],
                decoder.shape(),
                precision.scalarType(),
                last);
    }

    /** From the rows' gradient through all layers, and a vision tower that learns, to whatever learns; gradients must be on. */
    public void backward(PtNDManager scratch, SftBatch batch, Kept kept) {
        int layers = config.layers();
        PtNDArray gradient;
        try (PtNDArray ofRows = kept.rows().getGradient()) {
            gradient = SCRIPT.differentiable(
                    scratch, "rows_back", ofRows, batch.where(), kept.inputs().get(layers));
        }
        for (int layer = layers - 1; layer >= 0; layer--) {
            PtNDArray input = kept.inputs().get(layer);
            input.setRequiresGradient(true);
            try (PtNDArray output = layer(scratch, batch, layer, input)) {
                JniUtils.backward(output, gradient, false, false);
            }
            gradient.close();
            kept.inputs().get(layer + 1).close();
            gradient = input.getGradient();
        }
        if (decoder.adapters() == null || batch.pictures().tower() != null) {
            try (PtNDArray first = first(scratch, batch)) {
                JniUtils.backward(first, gradient, false, false);
            }
        }
        gradient.close();
        batch.pictures().backward();
    }

    private static void close(PtNDArray[] arrays) {
        Arrays.stream(arrays).forEach(PtNDArray::close);
    }
}
