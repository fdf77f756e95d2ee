package dev.prpf.data.encode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.Frame;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.Scenario;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.ScreenTrajectory;
import dev.prpf.data.TextTrajectory;
import dev.prpf.data.Trajectory;
import dev.prpf.data.encode.ocr.DrawnScreen;
import dev.prpf.data.encode.ocr.ScreenReader;
import dev.prpf.data.encode.store.EmbeddingStore;
import dev.prpf.data.encode.store.ScreenTextStore;
import dev.prpf.data.encode.text.BgeTextEncoder;
import dev.prpf.data.encode.text.LongText;
import dev.prpf.data.encode.text.Precision;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SampleEncoderTest {
    private static final ScenarioCatalog CATALOG = new ScenarioCatalog(
            List.of(new Scenario("Transportation", "交通出行"), new Scenario("Shopping", "购物")),
            Map.of("book_transport", "Transportation", "buy", "Shopping"));
    private static final DeviceContext CONTEXT = new DeviceContext("上班族", "电量80%", "周一早上");

    @TempDir
    Path folder;

    private EncoderSettings settings(@Nullable Path images) {
        return new EncoderSettings(Precision.INT8, LongText.MEAN_OF_WINDOWS, 1, folder.resolve("store"), images);
    }

    private static Sample sample(String id, Trajectory trajectory, @Nullable List<Recommendation> answers) {
        return new Sample(id, 1, null, null, CONTEXT, trajectory, answers);
    }

    private static Recommendation call(String function) {
        return new Recommendation("", List.of(new FunctionCall(function, Map.of())));
    }

    @Test
    void givesContextStepsAndLabels() {
        Sample acting = sample("a", new TextTrajectory(List.of("打开地图", "搜索机场")), List.of(call("book_transport")));
        Sample silent = sample("s", new TextTrajectory(List.of("打开地图")), List.of());
        Sample unlabelled = sample("u", new TextTrajectory(List.of("搜索机场")), null);
        try (SampleEncoder encoder = SampleEncoder.open(settings(null))) {
            List<SampleFeatures> features = encoder.encode(List.of(acting, silent, unlabelled), CATALOG);
            assertThat(features).extracting(SampleFeatures::id).containsExactly("a", "s", "u");
            SampleFeatures first = features.get(0);
            assertThat(first.context().length).isEqualTo(3);
            assertThat(first.steps()).hasNumberOfRows(2);
            assertThat(first.steps()[1]).isEqualTo(encoder.encodeTexts(List.of("搜索机场"))[0]);
            assertThat(first.context()[0][0]).isEqualTo(encoder.encodeTexts(List.of("上班族"))[0]);
            assertThat(first.screenshot()).containsExactly(false, false);
            assertThat(first.intervention()).isTrue();
            assertThat(first.scenarios()).containsExactly(1f, 0f);
            assertThat(features.get(1).intervention()).isFalse();
            assertThat(features.get(1).scenarios()).containsExactly(0f, 0f);
            assertThat(features.get(2).intervention()).isNull();
            assertThat(features.get(2).scenarios()).isNull();
        }
    }

    @Test
    void sentencesOfTheContextGetVectorsOfTheirOwn() {
        DeviceContext context = new DeviceContext("上班族。养猫。", "", "周一早上");
        Sample sample = new Sample("a", 1, null, null, context, new TextTrajectory(List.of("养猫。")), null);
        try (SampleEncoder encoder = SampleEncoder.open(settings(null))) {
            SampleFeatures features = encoder.encode(List.of(sample), CATALOG, ContextUnit.SENTENCE)
                    .get(0);
            assertThat(features.context()[0]).isEqualTo(encoder.encodeTexts(List.of("上班族。", "养猫。")));
            assertThat(features.context()[1]).isEqualTo(encoder.encodeTexts(List.of("")));
            assertThat(features.context()[2]).hasNumberOfRows(1);
            assertThat(encoder.encodeContext("上班族。养猫。", ContextUnit.SENTENCE)).isEqualTo(features.context()[0]);
            assertThat(encoder.encoded())
                    .as("a text that stands twice is encoded once")
                    .isEqualTo(4);
        }
    }

    @Test
    void takesFromTheStoreWhatWasEncodedBefore() {
        List<Sample> samples = List.of(sample("a", new TextTrajectory(List.of("打开地图", "搜索机场")), null));
        float[] first;
        try (SampleEncoder encoder = SampleEncoder.open(settings(null))) {
            first = encoder.encode(samples, CATALOG).get(0).steps()[1];
        }
        String id = BgeTextEncoder.idOf(Precision.INT8, LongText.MEAN_OF_WINDOWS);
        try (EmbeddingStore store = EmbeddingStore.open(folder.resolve("store"), id, 512)) {
            assertThat(store.size()).as("three context texts and two steps").isEqualTo(5);
        }
        try (SampleEncoder encoder = SampleEncoder.open(settings(null))) {
            assertThat(encoder.encode(samples, CATALOG).get(0).steps()[1]).isEqualTo(first);
            assertThat(encoder.loaded()).as("no model was loaded").isFalse();
        }
    }

    @Test
    void readsAPictureOnceAndGivesItsText() throws IOException {
        Files.createDirectories(folder.resolve("img"));
        DrawnScreen.of(List.of("订单已发货", "预计明天送达")).write(folder.resolve("img/a.png"));
        Files.copy(folder.resolve("img/a.png"), folder.resolve("img/b.png"));
        Frame a = new Frame.Screenshot("img/a.png");
        Frame b = new Frame.Screenshot("img/b.png");
        Sample sample = sample("m", new ScreenTrajectory(List.of(a, new Frame.Caption("点击返回"), b)), List.of());
        try (SampleEncoder encoder = SampleEncoder.open(settings(folder))) {
            SampleFeatures features = encoder.encode(List.of(sample), CATALOG).get(0);
            assertThat(features.screenshot()).containsExactly(true, false, true);
            assertThat(features.steps()[0]).isEqualTo(features.steps()[2]);
            assertThat(encoder.screenText(new Frame.Screenshot("img/b.png"))).isEqualTo("订单已发货\n预计明天送达");
            assertThat(features.steps()[0]).isEqualTo(encoder.encodeTexts(List.of("订单已发货\n预计明天送达"))[0]);
            assertThat(encoder.frameEncoderId()).isEqualTo(ScreenReader.ID + "+" + encoder.textEncoderId());
        }
        try (ScreenTextStore store = ScreenTextStore.open(folder.resolve("store"), ScreenReader.ID)) {
            assertThat(store.size()).as("equal bytes are read once").isEqualTo(1);
        }
    }

    @Test
    void namesTheSampleWhosePictureIsMissing() {
        Sample sample = sample("m7", new ScreenTrajectory(List.of(new Frame.Screenshot("no/such.png"))), null);
        try (SampleEncoder encoder = SampleEncoder.open(settings(folder))) {
            assertThatThrownBy(() -> encoder.encode(List.of(sample), CATALOG))
                    .isInstanceOfSatisfying(
                            PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                    .hasMessageContaining("sample m7")
                    .hasMessageContaining("such.png does not exist");
        }
    }

    @Test
    void refusesPicturesOutsideTheImageRootOrWithoutOne() {
        Sample outside = sample("m", new ScreenTrajectory(List.of(new Frame.Screenshot("../secret.png"))), null);
        try (SampleEncoder encoder = SampleEncoder.open(settings(folder))) {
            assertThatThrownBy(() -> encoder.encode(List.of(outside), CATALOG))
                    .hasMessageContaining("../secret.png lies outside the image root");
        }
        try (SampleEncoder encoder = SampleEncoder.open(settings(null))) {
            assertThatThrownBy(() -> encoder.encode(List.of(outside), CATALOG))
                    .isInstanceOfSatisfying(
                            PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.USAGE))
                    .hasMessageContaining("--images");
        }
    }

    @Test
    void namesTheSampleWithoutSteps() {
        Sample empty = sample("e", new TextTrajectory(List.of()), null);
        try (SampleEncoder encoder = SampleEncoder.open(settings(null))) {
            assertThatThrownBy(() -> encoder.encode(List.of(empty), CATALOG))
                    .hasMessageContaining("sample e has an empty trajectory");
        }
    }
}
