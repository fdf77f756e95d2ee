package dev.prpf.data.encode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.data.encode.ocr.DrawnScreen;
import dev.prpf.data.encode.spec.EncoderSpec.EncoderPrecision;
import dev.prpf.data.encode.spec.EncoderSpec.LongText;
import dev.prpf.data.encode.spec.ShippedEncoders;
import dev.prpf.data.onnx.OperationCount;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class EncodingCostTest {
    private static final Offset<Double> EXACTLY = within(1e-9);
    private static final List<String> TEXTS = List.of("打开地图", "常去火车站，电量八成", "今天下雨，记得带伞，晚上七点有会", "明天早上八点".repeat(30));

    @TempDir
    private Path folder;

    private EncoderSettings settings(String store, String frames, EncoderPrecision precision) {
        return new EncoderSettings(
                ShippedEncoders.DEFAULT, precision, LongText.MEAN_OF_WINDOWS, frames, 2, folder.resolve(store), folder);
    }

    private double counted(EncoderSettings settings, Consumer<SampleEncoder> work) {
        try (OperationCount count = OperationCount.open()) {
            try (SampleEncoder encoder = SampleEncoder.open(settings)) {
                work.accept(encoder);
            }
            return count.flops();
        }
    }

    @Test
    void operationsOfTextsAreThoseThatTheNetworkRuns() {
        assertOperationsOfTexts(EncoderPrecision.INT8);
    }

    /** The smaller test is {@link #operationsOfTextsAreThoseThatTheNetworkRuns}. */
    @Test
    @Tag("nightly")
    void operationsOfTextsInFp32AreThoseThatTheNetworkRuns() {
        assertOperationsOfTexts(EncoderPrecision.FP32);
    }

    private void assertOperationsOfTexts(EncoderPrecision precision) {
        double expected = counted(settings("counted", "ocr", precision), encoder -> encoder.encodeTexts(TEXTS));
        try (SampleEncoder encoder = SampleEncoder.open(settings("store", "ocr", precision))) {
            assertThat(encoder.cost()).isEqualTo(EncodingCost.NONE);
            encoder.encodeTexts(TEXTS);
            EncodingCost cost = encoder.cost();
            assertThat(cost.textFlops()).isCloseTo(expected, Percentage.withPercentage(1e-6));
            assertThat(cost.textSeconds()).isPositive();
            assertThat(cost.frameFlops()).isZero();
            assertThat(cost.frameSeconds()).isZero();
            assertThat(cost.seconds()).isEqualTo(cost.textSeconds());
        }
    }

    @Test
    void whatTheStoreHasCostsNothingAndIsCounted() {
        EncoderSettings settings = settings("store", "ocr", EncoderPrecision.INT8);
        try (SampleEncoder encoder = SampleEncoder.open(settings)) {
            encoder.encodeTexts(TEXTS.subList(0, 2));
            EncodingCost before = encoder.cost();
            EncodingCost.Costed<float[][]> again =
                    EncodingCost.Costed.of(encoder::cost, () -> encoder.encodeTexts(TEXTS.subList(0, 3)));
            assertThat(again.result()).hasNumberOfRows(3);
            assertThat(again.cost().textFlops()).isPositive().isLessThan(before.textFlops() * 3);
            assertThat(encoder.reused()).as("it made them itself").isZero();
        }
        try (SampleEncoder encoder = SampleEncoder.open(settings)) {
            encoder.encodeTexts(TEXTS);
            encoder.encodeTexts(TEXTS);
            assertThat(encoder.reused()).isEqualTo(3);
            assertThat(encoder.encoded()).isEqualTo(1);
        }
    }

    @Test
    void operationsOfReadingScreensAreThoseThatTheNetworksRun() throws IOException {
        DrawnScreen.of(List.of("支付成功", "返回首页，查看订单详情", "确定")).write(folder.resolve("small.png"));
        DrawnScreen.of(List.of("明天早上八点出发去火车站", "电量不足"), 500, 900, 24f).write(folder.resolve("large.png"));
        Consumer<SampleEncoder> reading = encoder -> Stream.of("small.png", "large.png")
                .map(TraceStep.Screenshot::new)
                .forEach(encoder::screenText);
        double expected = counted(settings("counted", "ocr", EncoderPrecision.INT8), reading);
        try (SampleEncoder encoder = SampleEncoder.open(settings("store", "ocr", EncoderPrecision.INT8))) {
            reading.accept(encoder);
            EncodingCost cost = encoder.cost();
            assertThat(cost.frameFlops()).isCloseTo(expected, Percentage.withPercentage(0.5));
            assertThat(cost.frameSeconds()).isPositive();
            assertThat(cost.textFlops()).isZero();
            assertThat(encoder.readsScreens()).isTrue();
        }
    }

    @Test
    void operationsOfATowerAreThoseThatItRuns() {
        String clip = "clip:" + TestFiles.golden("clip-vision");
        List<ImageFile> images = Stream.of("picture0.png", "picture1.png", "picture2.png")
                .map(name -> ImageFile.of(TestFiles.golden("images/" + name)))
                .toList();
        double expected = counted(settings("counted", clip, EncoderPrecision.INT8), encoder -> encoder.imageEncoder()
                .encode(images));
        try (SampleEncoder encoder = SampleEncoder.open(settings("store", clip, EncoderPrecision.INT8))) {
            encoder.countEarly();
            assertThat(encoder.imageEncoder().encode(images)).hasNumberOfRows(3);
            EncodingCost cost = encoder.cost();
            assertThat(cost.frameFlops()).isPositive().isCloseTo(expected, Percentage.withPercentage(1e-6));
            assertThat(encoder.readsScreens()).isFalse();
            encoder.imageEncoder().encode(images);
            assertThat(encoder.cost().since(cost)).isEqualTo(EncodingCost.NONE);
        }
    }

    @Test
    void sharesAreOfFramesAndOfTexts() {
        EncodingCost share = new EncodingCost(8, 4, 100, 10).times(0.5, 0.1);
        assertThat(share.frameFlops()).isEqualTo(4, EXACTLY);
        assertThat(share.frameSeconds()).isEqualTo(2, EXACTLY);
        assertThat(share.textFlops()).isEqualTo(10, EXACTLY);
        assertThat(share.textSeconds()).isEqualTo(1, EXACTLY);
        assertThat(share.seconds()).isEqualTo(3, EXACTLY);
        assertThat(new EncodingCost(8, 4, 100, 10).since(new EncodingCost(1, 1, 10, 2)))
                .isEqualTo(new EncodingCost(7, 3, 90, 8));
    }
}
