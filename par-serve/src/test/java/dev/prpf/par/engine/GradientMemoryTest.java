package dev.prpf.par.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.par.engine.GradientMemory.Batch;
import dev.prpf.par.engine.GradientMemory.Logits;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Worked by hand; how near it comes to what is resident stands in MemoryOfTrainingTest. */
class GradientMemoryTest {
    /** V 100, D 8, F 16, one layer, N 2, K 1, H 4: 8 * (8 + 2 * 4) + 2 * 8 * 16 = 384 after a norm, 8 * 8 + 8 * 16 = 192 others. */
    private static final DecoderConfig ONE_LAYER =
            TinyModels.llama(100, 8, 16, 1, AttentionShape.of(2, 1, 4, 10_000), 64, true, List.of(1));

    private static final Batch BATCH = new Batch(3, 16, 32, false);
    private static final Logits LOGITS = new Logits(12, 32);

    /** A position: 2 streams, 2 normed streams, 4 of width F, and of attention q and k, copies of k and v, the output. */
    private static final long KEPT = 48 * (4 * 8 * 4 + 4 * 16 * 4 + (8 + 4 + 8 + 8 + 8) * 4);

    private static final long HEAD = 12 * 32 * 100 + 4 * 100 * 8;

    @Test
    void inFloat32() {
        GradientMemory memory = new GradientMemory(ONE_LAYER, Precision.FP32, List.of());

        long copies = 8 * 384; // before and after the norm's weight
        long rows = 2 * 4 * 32 * 8;
        assertThat(memory.remembered(BATCH, LOGITS).bytes()).isEqualTo(KEPT + copies + rows + HEAD);
    }

    @Test
    void frozenMatricesAreNotCopiedAndNeedNoGradient() {
        GradientMemory memory = new GradientMemory(ONE_LAYER, Precision.FP32, List.of(GradientMemory.Adapters.NONE));

        long logits = 12 * 32 * 100;
        assertThat(memory.remembered(BATCH, LOGITS).bytes()).isEqualTo(KEPT + 2 * 4 * 32 * 8 + logits);
    }

    @Test
    void adaptersAddTheirCopiesAndTheProductsWithA() {
        GradientMemory none = new GradientMemory(ONE_LAYER, Precision.FP32, List.of(GradientMemory.Adapters.NONE));
        GradientMemory some =
                new GradientMemory(ONE_LAYER, Precision.FP32, List.of(new GradientMemory.Adapters(5, 70)));

        assertThat(some.remembered(BATCH, LOGITS).bytes()
                        - none.remembered(BATCH, LOGITS).bytes())
                .isEqualTo(48 * 5 * 4 + 70 * 4);
    }

    @Test
    void inBfloat16ScoresAreKeptAndTheHeadIsCopied() {
        GradientMemory memory = new GradientMemory(ONE_LAYER, Precision.BF16, List.of());

        long kept = 48 * (2 * 8 * 4 + 2 * 8 * 2 + 4 * 16 * 2 + (3 * 8 + 2 * 16 + 8) * 2);
        long copies = 6 * 384 + 2 * 192;
        long head = 12 * 32 * 100 + 8 * 100 * 8;
        assertThat(memory.remembered(BATCH, LOGITS).bytes()).isEqualTo(kept + copies + 2 * 4 * 32 * 8 + head);
        assertThat(memory.remembered(new Batch(3, 16, 32, true), LOGITS).bytes())
                .as("a packed row's mask instead of all scores")
                .isNotEqualTo(memory.remembered(BATCH, LOGITS).bytes());
    }

    @Test
    void withCheckpointingLayersCostTheirInputsOnly() {
        DecoderConfig ten = TinyModels.llama(100, 8, 16, 10, AttentionShape.of(2, 1, 4, 10_000), 64, true, List.of(1));
        GradientMemory one = new GradientMemory(ONE_LAYER, Precision.FP32, List.of());
        GradientMemory more = new GradientMemory(ten, Precision.FP32, List.of());

        assertThat(more.checkpointed(BATCH, LOGITS).bytes()
                        - one.checkpointed(BATCH, LOGITS).bytes())
                .isEqualTo(9 * 4 * 48 * 8);
        assertThat(more.remembered(BATCH, LOGITS).bytes()
                        - one.remembered(BATCH, LOGITS).bytes())
                .isEqualTo(9 * (KEPT + 8 * 384));
        assertThat(one.checkpointed(BATCH, new Logits(12, 1_000)).bytes())
                .as("no more labels than there are")
                .isEqualTo(one.checkpointed(BATCH, LOGITS).bytes());
    }

    @Test
    void deltaNetsAreCounted() {
        DecoderConfig config = TinyModels.qwen35(100, 64);
        GradientMemory memory = new GradientMemory(config, Precision.FP32, List.of());

        assertThat(memory.remembered(new Batch(6, 16, 32, false), LOGITS).bytes())
                .isGreaterThan(memory.remembered(BATCH, LOGITS).bytes());
    }

    @Test
    void aDecoderSharesWhatItCanWithItsWeights() {
        assertThat(FusedShape.linear(ONE_LAYER, Precision.FP32).bytes()).isEqualTo(4 * 384);
        assertThat(new FusedShape(ONE_LAYER, Precision.FP32, MatmulKernel.ONEDNN_FP32).bytes())
                .as("all matrices and the head laid out anew")
                .isEqualTo(4 * (576 + 800));
        assertThat(FusedShape.linear(ONE_LAYER, Precision.BF16).bytes()).isEqualTo(2 * (576 + 800));
        assertThat(FusedShape.of(ONE_LAYER, Precision.FP32).activationBytes()).isEqualTo(4);
    }
}
