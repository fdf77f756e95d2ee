package dev.prpf.par.training;

import static dev.prpf.par.training.TestDecoders.assertAlike;
import static dev.prpf.par.training.TestDecoders.gradients;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.Golden;
import dev.prpf.par.engine.ImageFeatures;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.PromptImages;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.sets.SftExample;
import dev.prpf.par.training.TrainingConfig.ComputeSettings;
import dev.prpf.par.training.TrainingVision.FrozenVision;
import dev.prpf.par.vision.FakeVisionEncoder;
import dev.prpf.par.vision.VisionEncoder;
import dev.prpf.par.vision.VisualPrompt.VisionImage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SftVisionTest {
    static final int PAD = 255;
    private static final int WIDTH = 64;

    private static TrainableDecoder decoder(VisionEncoder encoder, boolean adapters) {
        DecoderWeights weights =
                HuggingFaceDirectory.open(Golden.folder("qwen3_5_vl")).weights(Precision.FP32);
        LoraAdapters learning = adapters ? LoraAdapters.fresh(weights.config(), new LoraSettings(4, 8, null), 5) : null;
        return TestDecoders.of(weights, learning, new FrozenVision(encoder, PAD));
    }

    /** A prompt of random text with images in it, and a random response. */
    static SftExample example(Random random, String... images) {
        List<VisionImage> shown =
                Stream.of(images).map(FakeVisionEncoder::image).toList();
        LongStream prompt = random.longs(1 + random.nextInt(6), 0, 200);
        for (int i = 0; i < images.length; i++) {
            prompt = LongStream.concat(prompt, LongStream.of(PAD));
            prompt = LongStream.concat(prompt, random.longs(1 + random.nextInt(4), 0, 200));
        }
        long[] ids = PromptImages.expand(
                prompt.toArray(), PAD, shown.stream().map(VisionImage::grid).toList());
        return new SftExample(ids, random.longs(1 + random.nextInt(6), 0, 200).toArray(), shown);
    }

    /** Returns examples of text, of one image and of several. */
    private static List<SftExample> examples() {
        Random random = new Random(4);
        List<SftExample> examples = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            examples.add(example(
                    random,
                    switch (i % 3) {
                        case 0 -> new String[] {};
                        case 1 -> new String[] {i + "-2x3.png"};
                        default -> new String[] {i + "-1x4.png", i + "-3x2.png"};
                    }));
        }
        return examples;
    }

    @ParameterizedTest
    @CsvSource({"1,false,false", "3,false,false", "8,true,false", "8,false,true", "8,true,true"})
    void batchesPackingAndCheckpointsGiveTheNumbersOfTheWholeBatch(int size, boolean packing, boolean checkpointing) {
        for (boolean adapters : new boolean[] {false, true}) {
            List<SftExample> examples = examples();
            long divisor = SftBatch.supervisedTokens(examples);
            try (TrainableDecoder whole = decoder(new FakeVisionEncoder(WIDTH), adapters);
                    TrainableDecoder parts = decoder(new FakeVisionEncoder(WIDTH), adapters)) {
                SftLoss.Part expected = new SftLoss(whole, new ComputeSettings(Precision.FP32, false, false))
                        .backward(examples, divisor);
                SftLoss loss = new SftLoss(parts, new ComputeSettings(Precision.FP32, packing, checkpointing));
                SftLoss.Part found = new SftLoss.Part(0, 0, 0);
                for (List<SftExample> batch : BatchOrder.cut(examples, size)) {
                    found = found.plus(loss.backward(batch, divisor));
                }
                assertThat(found.loss()).isCloseTo(expected.loss(), within(5e-5));
                assertThat(found.hits()).isEqualTo(expected.hits());
                assertAlike(gradients(parts), gradients(whole));
            }
        }
    }

    /** Sees in every image the embedding of one token. */
    private record OneToken(DecoderWeights weights, int token) implements VisionEncoder {
        @Override
        public VisionImage image(ImageFile image, int maxTokens) {
            return new FakeVisionEncoder(WIDTH).image(image, maxTokens);
        }

        @Override
        public List<ImageFeatures> features(List<VisionImage> images) {
            float[] table = Objects.requireNonNull(weights.arrays().get("model.embed_tokens.weight"))
                    .toFloatArray();
            float[] row = Arrays.copyOfRange(table, token * WIDTH, (token + 1) * WIDTH);
            return images.stream()
                    .map(image -> new ImageFeatures(image.key(), image.grid(), row))
                    .toList();
        }
    }

    /** An image of one token has the position of a text token, so only its features distinguish it. */
    @Test
    void featuresStandWhereTheirPlaceholdersAre() {
        Random random = new Random(6);
        SftExample seen = example(random, "1x1.png", "b-1x1.png");
        int token = 17;
        long[] prompt =
                Arrays.stream(seen.prompt()).map(id -> id == PAD ? token : id).toArray();
        SftExample read = new SftExample(prompt, seen.response());
        try (DecoderWeights weights =
                        HuggingFaceDirectory.open(Golden.folder("qwen3_5_vl")).weights(Precision.FP32);
                TrainableDecoder decoder = decoder(new OneToken(weights, token), false)) {
            for (boolean checkpointing : new boolean[] {false, true}) {
                SftLoss loss = new SftLoss(decoder, new ComputeSettings(Precision.FP32, false, checkpointing));
                assertThat(loss.value(List.of(seen), 1).loss())
                        .isCloseTo(loss.value(List.of(read), 1).loss(), within(1e-4));
            }
        }
    }

    /** Grey and red of the same size: the same tokens, other features. */
    @Test
    void whatIsSeenDecidesTheLoss() {
        try (TrainableDecoder decoder = decoder(new FakeVisionEncoder(WIDTH), false)) {
            SftLoss loss = new SftLoss(decoder, new ComputeSettings(Precision.FP32, false, false));
            SftExample grey = example(new Random(7), "grey-2x2.png");
            SftExample red = example(new Random(7), "red-2x2.png");
            assertThat(red.prompt()).isEqualTo(grey.prompt());
            assertThat(loss.value(List.of(red), 1).loss())
                    .isNotCloseTo(loss.value(List.of(grey), 1).loss(), within(1e-3));
        }
    }

    @Test
    void aDecoderWithoutVisionRefusesImages() {
        try (TrainableDecoder blind = TrainableDecoder.full(
                HuggingFaceDirectory.open(Golden.folder("qwen3_5_vl")).weights(Precision.FP32))) {
            SftLoss loss = new SftLoss(blind, new ComputeSettings(Precision.FP32, false, false));
            assertThatThrownBy(() -> loss.value(List.of(example(new Random(1), "2x2.png")), 1))
                    .hasMessage("a batch shows 1 images, the decoder has no vision");
        }
    }
}
