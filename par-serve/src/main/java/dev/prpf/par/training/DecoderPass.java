package dev.prpf.par.training;

import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.IValue;
import ai.djl.pytorch.jni.JniUtils;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.HostValues;
import dev.prpf.par.engine.RotaryTables;
import dev.prpf.par.engine.Script;
import dev.prpf.par.sets.SftExample;
import dev.prpf.par.training.TrainableDecoder.PassWeights;
import dev.prpf.par.training.TrainingConfig.ComputeSettings;
import dev.prpf.par.training.TrainingVision.BatchImages;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs batches through a decoder, forward and back. Logits are computed for a chunk of rows at a time, so that they stay small for any vocabulary.
 * With gradient checkpointing (arXiv:1604.06174) forward keeps only the input of each layer, and backward computes every layer again. This costs one
 * more forward pass and gives equal numbers.
 */
final class DecoderPass implements AutoCloseable {
    /** Bytes of a logit that is scored: tempered, and the gradients of its logarithm of a sum and of the label's own; float32. */
    public static final int SCORED_LOGIT_BYTES = 6 * Float.BYTES;

    private static final Script SCRIPT = Script.decoder();

    private final PassWeights weights;
    private final boolean checkpointing;
    private final boolean owning;
    /** Number of logit rows computed at once, by the bytes of a logit. */
    private final IntUnaryOperator chunkSize;

    /** @param owning whether to close the weights with this pass */
    DecoderPass(PassWeights weights, boolean checkpointing, boolean owning, IntUnaryOperator chunkSize) {
        this.weights = weights;
        this.checkpointing = checkpointing;
        this.owning = owning;
        this.chunkSize = chunkSize;
    }

    private DecoderPass(PassWeights weights, boolean checkpointing, boolean owning) {
        this(
                weights,
                checkpointing,
                owning,
                bytes -> SftBatch.logitRows(weights.config(), bytes, weights.embeddingLearns()));
    }

    /** Makes a pass of a decoder in training, which owns the memory of the weights. */
    public static DecoderPass of(TrainableDecoder decoder, ComputeSettings compute) {
        return new DecoderPass(decoder.passWeights(compute.precision()), compute.checkpointing(), false);
    }

    /** Makes a pass without gradients. The decoder uses the kernel of training; the caller closes the decoder. */
    public static DecoderPass of(CausalLm decoder) {
        return new DecoderPass(PassWeights.frozen(decoder, null), false, true);
    }

    /**
     * Runs a batch forward.
     *
     * @param scratch owns the arrays of the passes
     * @param learn whether {@link Forward#backward} follows
     */
    public Forward forward(PtNDManager scratch, SftBatch batch, boolean learn) {
        return new Forward(scratch, batch, learn);
    }

    private static <T> T recording(boolean gradients, Supplier<T> work) {
        JniUtils.setGradMode(gradients);
        try {
            return work.get();
        } finally {
            JniUtils.setGradMode(false);
        }
    }

    /**
     * Scores of labels, (B, T), in the rows of a {@link ResponseBatch}. Positions past a row's end hold no score.
     *
     * @param logProbabilities of the labels, without a gradient
     * @param entropies of the distributions, nats
     * @param graph the labels' log-probabilities (rows) with a gradient, if computed in one chunk; otherwise null
     */
    public record Scores(PtNDArray logProbabilities, PtNDArray entropies, @Nullable PtNDArray graph) {}

    /** A batch after its forward pass. */
    public final class Forward implements AutoCloseable {
        private final PtNDManager scratch;
        private final SftBatch batch;
        private final boolean learn;
        private final IValue pass;
        /** The input of each layer, (B, T, D), and the output of the last layer; with checkpointing only. */
        private final List<PtNDArray> inputs = new ArrayList<>();
        /** The supervised rows, (rows, D), with their graph for backward unless checkpointing drops the graph. */
        private final PtNDArray reached;
        /** The supervised rows without a graph; backward begins at their gradient. */
        private final PtNDArray rows;

        private Forward(PtNDManager scratch, SftBatch batch, boolean learn) {
            this.scratch = scratch;
            this.batch = batch;
            this.learn = learn;
            RotaryTables.Pair tables =
                    weights.rotary().upTo(Math.toIntExact(batch.ids().getShape().get(1)));
            pass = SCRIPT.differentiableValue(
                    "whole", batch.positions(), batch.sequences(), tables.cosines(), tables.sines(), tables.axes());
            reached = recording(learn && !checkpointing, this::layers);
            rows = JniUtils.detachGradient(reached);
            rows.attach(scratch);
            rows.setRequiresGradient(learn);
        }

        private PtNDArray layers() {
            PtNDArray x = first();
            for (int layer = 0; layer < weights.config().layers(); layer++) {
                PtNDArray input = x;
                x = layer(layer, input);
                keep(input);
            }
            PtNDArray reaches = SCRIPT.differentiable(scratch, "rows_at", x, batch.where());
            keep(x);
            return reaches;
        }

        private void keep(PtNDArray input) {
            if (learn && checkpointing) {
                inputs.add(input);
            } else {
                input.close();
            }
        }

        private PtNDArray first() {
            return SCRIPT.differentiable(
                    scratch,
                    "first_piece",
                    batch.ids(),
                    batch.at(),
                    batch.images().features(),
                    weights.embedding(),
                    weights.kernel());
        }

        private PtNDArray layer(int number, PtNDArray input) {
            try (IValue layer = weights.layers().apply(number)) {
                return SCRIPT.differentiable(scratch, "layer_piece", input, layer, weights.kernel(), pass);
            }
        }

        /** Returns the cross entropy over {@code divisor}. If the batch learns, adds its gradient with respect to the rows and the head. */
        SftLoss.Part loss(double divisor, long labels) {
            double loss = 0;
            long hits = 0;
            for (SftBatch.Piece piece : batch.pieces(chunkSize.applyAsInt(SftMemory.LOGIT_BYTES))) {
                PtNDArray[] found = head("loss_piece", piece, divisor, learn);
                float part = HostValues.number(found[0]);
                loss += part;
                hits += HostValues.whole(found[1]);
                if (learn && Float.isFinite(part)) {
                    TrainableDecoder.backward(scratch, found[0]);
                }
                closeAll(found);
            }
            return new SftLoss.Part(loss, labels, hits);
        }

        /** Scores the labels at a temperature. */
        public Scores scores(ResponseBatch responses, double temperature) {
            List<SftBatch.Piece> pieces = scored();
            boolean graph = learn && pieces.size() == 1;
            List<PtNDArray[]> found = pieces.stream()
                    .map(piece -> head("logprobs_piece", piece, temperature, graph))
                    .toList();
            PtNDArray[] inRows = SCRIPT.differentiables(
                    scratch, "pieces_in_rows", column(found, 0), column(found, 1), responses.rows());
            return new Scores(inRows[0], inRows[1], graph ? found.get(0)[0] : null);
        }

        private List<SftBatch.Piece> scored() {
            return batch.pieces(chunkSize.applyAsInt(SCORED_LOGIT_BYTES));
        }

        private static PtNDArray[] column(List<PtNDArray[]> pieces, int column) {
            return pieces.stream().map(piece -> piece[column]).toArray(PtNDArray[]::new);
        }

        /**
         * Propagates a gradient with respect to the log-probabilities to the rows and the head.
         *
         * @param gradient (B, T)
         */
        public void backward(ResponseBatch responses, Scores scores, PtNDArray gradient, double temperature) {
            PtNDArray ofLabels = SCRIPT.differentiable(
                    scratch, "from_rows", gradient, responses.rows(), responses.mask(), batch.labels());
            if (scores.graph() != null) {
                JniUtils.backward(scores.graph(), ofLabels, false, false);
                return;
            }
            for (SftBatch.Piece piece : scored()) {
                PtNDArray[] found = head("logprobs_piece", piece, temperature, true);
                try (PtNDArray part = SCRIPT.differentiable(scratch, "part", ofLabels, piece.begin(), piece.end())) {
                    JniUtils.backward(found[0], part, false, false);
                }
                closeAll(found);
            }
        }

        private PtNDArray[] head(String method, SftBatch.Piece piece, double last, boolean gradients) {
            return recording(gradients, () -> {
                try (IValue ends = weights.ends().get()) {
                    return SCRIPT.differentiables(
                            scratch, method, rows, piece.begin(), piece.end(), batch.labels(), ends, last);
                }
            });
        }

        /** Propagates the rows' gradient through all layers, and through a trained vision encoder, to the trained weights. */
        public void backward() {
            try (PtNDArray ofRows = rows.getGradient()) {
                if (checkpointing) {
                    recording(true, () -> again(ofRows)).close();
                } else {
                    JniUtils.backward(reached, ofRows, false, false);
                }
            }
            batch.images().backward();
        }

        /** Computes every layer again, and returns the gradient of the first layer's input. */
        private PtNDArray again(PtNDArray ofRows) {
            int layers = weights.config().layers();
            PtNDArray gradient = SCRIPT.differentiable(scratch, "rows_back", ofRows, batch.where(), inputs.get(layers));
            for (int layer = layers - 1; layer >= 0; layer--) {
                inputs.get(layer + 1).close();
                PtNDArray input = inputs.get(layer);
                input.setRequiresGradient(true);
                try (PtNDArray output = layer(layer, input)) {
                    JniUtils.backward(output, gradient, false, false);
                }
                gradient.close();
                gradient = input.getGradient();
            }
            if (weights.embeddingLearns() || batch.images().tower() != null) {
                try (PtNDArray first = first()) {
                    JniUtils.backward(first, gradient, false, false);
                }
            }
            return gradient;
        }

        @Override
        public void close() {
            pass.close();
        }
    }

    private static void closeAll(PtNDArray[] arrays) {
        Arrays.stream(arrays).forEach(PtNDArray::close);
    }

    @Override
    public void close() {
        if (owning) {
            weights.close();
        }
    }

    /**
     * A batch of responses to score, one per row: B of them, T tokens of the longest.
     *
     * @param tokens their sequences; every token of a response is a label
     * @param rows index of the label at each place of a row, 0 past its end, (B, T)
     * @param mask 1 where a row has a token, else 0, (B, T)
     * @param width T
     */
    public record ResponseBatch(SftBatch tokens, PtNDArray rows, PtNDArray mask, int width) {
        /** Returns this batch with other features of the same images. */
        public ResponseBatch with(BatchImages others) {
            return new ResponseBatch(tokens.with(others), rows, mask, width);
        }

        /** Creates a batch of examples, with the images of all. */
        public static ResponseBatch of(PtNDManager owner, List<SftExample> examples, BatchImages images) {
            int width = examples.stream()
                    .mapToInt(example -> example.response().length)
                    .max()
                    .orElseThrow();
            long[] rows = new long[examples.size() * width];
            float[] mask = new float[rows.length];
            int label = 0;
            for (int b = 0; b < examples.size(); b++) {
                for (int t = 0; t < examples.get(b).response().length; t++) {
                    rows[b * width + t] = label++;
                    mask[b * width + t] = 1;
                }
            }
            Shape shape = new Shape(examples.size(), width);
            return new ResponseBatch(
                    SftBatch.of(owner, examples, images),
                    (PtNDArray) owner.create(rows, shape),
                    (PtNDArray) owner.create(mask, shape),
                    width);
        }
    }
}
