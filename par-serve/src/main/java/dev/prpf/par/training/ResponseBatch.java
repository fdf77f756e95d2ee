package dev.prpf.par.training;

import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.par.sets.SftExample;
import dev.prpf.par.training.TrainingVision.BatchImages;
import java.util.List;

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
