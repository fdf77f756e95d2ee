package dev.prpf.data.encode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.ScenarioCatalog.Scenario;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.data.encode.EncoderSettings.ContextUnit;
import dev.prpf.data.encode.ocr.DrawnScreen;
import dev.prpf.data.encode.ocr.ScreenReader;
import dev.prpf.data.encode.spec.EncoderSpec;
import dev.prpf.data.encode.spec.EncoderSpec.EncoderPrecision;
import dev.prpf.data.encode.spec.EncoderSpec.LongText;
import dev.prpf.data.encode.spec.ShippedEncoders;
import dev.prpf.data.encode.store.ContentKey;
import dev.prpf.data.encode.store.EmbeddingStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class SampleEncoderTest {
    private static final ScenarioCatalog CATALOG = new ScenarioCatalog(
            List.of(new Scenario("Transportation", "交通出行"), new Scenario("Shopping", "购物")),
            Map.of("book_transport", "Transportation", "buy", "Shopping"));
    private static final DeviceContext CONTEXT = new DeviceContext("上班族", "电量80%", "周一早上");

    @TempDir
    Path folder;

    private EncoderSettings settings(@Nullable Path images) {
        return new EncoderSettings(EncoderPrecision.INT8, LongText.MEAN_OF_WINDOWS, 1, folder.resolve("store"), images);
    }

    private static Sample sample(String id, Trajectory trajectory, @Nullable List<Recommendation> answers) {
        return new Sample(id, 1, null, null, CONTEXT, trajectory, answers);
    }

    private static Recommendation call(String function) {
        return new Recommendation("", List.of(new FunctionCall(function, Map.of())));
    }

    @Test
    void givesContextStepsAndLabels() {
        Sample acting = sample("a", Trajectory.ofTexts(List.of("打开地图", "搜索机场")), List.of(call("book_transport")));
        Sample silent = sample("s", Trajectory.ofTexts(List.of("打开地图")), List.of());
        Sample unlabelled = sample("u", Trajectory.ofTexts(List.of("搜索机场")), null);
        try (SampleEncoder encoder = SampleEncoder.open(settings(null))) {
            List<SampleFeatures> features =
                    encoder.encode(List.of(acting, silent, unlabelled), CATALOG, ContextUnit.TEXT);
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
        Sample sample = new Sample("a", 1, null, null, context, Trajectory.ofTexts(List.of("养猫。")), null);
        try (SampleEncoder encoder = SampleEncoder.open(settings(null))) {
            SampleFeatures features = encoder.encode(List.of(sample), CATALOG, ContextUnit.SENTENCE)
                    .get(0);
            assertThat(features.context()[0]).isEqualTo(encoder.encodeTexts(List.of("上班族。", "养猫。")));
            assertThat(features.context()[1]).isEqualTo(encoder.encodeTexts(List.of("")));
            assertThat(features.context()[2]).hasNumberOfRows(1);
            assertThat(encoder.encodeContext("上班族。养猫。", ContextUnit.SENTENCE)).isEqualTo(features.context()[0]);
            assertThat(encoder.encoded()).as("a duplicate text is encoded once").isEqualTo(4);
        }
    }

    @Test
    void takesFromTheStoreWhatWasEncodedBefore() {
        List<Sample> samples = List.of(sample("a", Trajectory.ofTexts(List.of("打开地图", "搜索机场")), null));
        float[] first;
        try (SampleEncoder encoder = SampleEncoder.open(settings(null))) {
            first = encoder.encode(samples, CATALOG, ContextUnit.TEXT).get(0).steps()[1];
        }
        String id = EncoderSpec.ofText(ShippedEncoders.DEFAULT).idOf(EncoderPrecision.INT8, LongText.MEAN_OF_WINDOWS);
        try (EmbeddingStore<float[]> store = EmbeddingStore.ofVectors(folder.resolve("store"), id, 512)) {
            assertThat(store.size()).as("three context texts and two steps").isEqualTo(5);
        }
        try (SampleEncoder encoder = SampleEncoder.open(settings(null))) {
            assertThat(encoder.encode(samples, CATALOG, ContextUnit.TEXT).get(0).steps()[1])
                    .isEqualTo(first);
            assertThat(encoder.loaded()).as("no model was loaded").isFalse();
        }
    }

    @Test
    void theVectorsOfManySamplesStayInTheFile() {
        int count = 400;
        int sentences = 24; // a text; three texts a sample: 59 MB of vectors in all
        EncoderSettings settings = settings(null);
        List<Sample> samples = new ArrayList<>();
        String id = settings.textEncoderSpec().idOf(EncoderPrecision.INT8, LongText.MEAN_OF_WINDOWS);
        try (EmbeddingStore<float[]> store = EmbeddingStore.ofVectors(settings.store(), id, 512)) {
            for (int i = 0; i < count; i++) {
                samples.add(made(store, i, sentences));
            }
        }
        System.gc();
        long before = usedHeap();
        List<SampleFeatures> features;
        try (SampleEncoder encoder = SampleEncoder.open(settings)) {
            features = encoder.encode(samples, CATALOG, ContextUnit.SENTENCE);
            assertThat(encoder.loaded()).as("all of it was stored").isFalse();
        }
        System.gc();
        assertThat((usedHeap() - before) / count)
                .as("bytes a sample")
                .isLessThan(40_000); // the vectors would take 147,000
        assertThat(features).hasSize(count);
        assertThat(features.get(399).contextVectors(2)).isEqualTo(sentences);
        assertThat(features.get(399).context()[2][23][0]).isEqualTo(399 + 2 / 4f + 23 / 128f);
    }

    private static long usedHeap() {
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    /** Creates a sample with three texts of many sentences, each with a vector in the store. */
    private static Sample made(EmbeddingStore<float[]> store, int i, int sentences) {
        Map<ContentKey, float[]> vectors = new HashMap<>();
        List<String> texts = new ArrayList<>();
        for (int text = 0; text < 3; text++) {
            StringBuilder all = new StringBuilder();
            for (int n = 0; n < sentences; n++) {
                String sentence = "句" + i + "/" + text + "/" + n + "。";
                float[] vector = new float[512];
                vector[0] = i + text / 4f + n / 128f;
                vectors.put(ContentKey.of(sentence), vector);
                all.append(sentence);
            }
            texts.add(all.toString());
        }
        vectors.put(ContentKey.of("步"), new float[512]);
        store.put(vectors);
        DeviceContext context = new DeviceContext(texts.get(0), texts.get(1), texts.get(2));
        return new Sample("s" + i, 1, null, null, context, Trajectory.ofTexts(List.of("步")), null);
    }

    @Test
    void readsAnImageOnceAndGivesItsText() throws IOException {
        Files.createDirectories(folder.resolve("img"));
        DrawnScreen.of(List.of("订单已发货", "预计明天送达")).write(folder.resolve("img/a.png"));
        Files.copy(folder.resolve("img/a.png"), folder.resolve("img/b.png"));
        TraceStep a = new TraceStep.Screenshot("img/a.png");
        TraceStep b = new TraceStep.Screenshot("img/b.png");
        Sample sample = sample("m", new Trajectory(List.of(a, new TraceStep.Caption("点击返回"), b)), List.of());
        try (SampleEncoder encoder = SampleEncoder.open(settings(folder))) {
            SampleFeatures features =
                    encoder.encode(List.of(sample), CATALOG, ContextUnit.TEXT).get(0);
            assertThat(features.screenshot()).containsExactly(true, false, true);
            assertThat(features.steps()[0]).isEqualTo(features.steps()[2]);
            assertThat(encoder.screenText(new TraceStep.Screenshot("img/b.png")))
                    .isEqualTo("订单已发货\n预计明天送达");
            assertThat(features.steps()[0]).isEqualTo(encoder.encodeTexts(List.of("订单已发货\n预计明天送达"))[0]);
            assertThat(encoder.imageEncoderId()).isEqualTo(ScreenReader.ID + "+" + encoder.textEncoderId());
        }
        try (EmbeddingStore<String> store = EmbeddingStore.ofTexts(folder.resolve("store"), ScreenReader.ID)) {
            assertThat(store.size()).as("equal bytes are read once").isEqualTo(1);
        }
    }

    @Test
    void namesTheSampleWhoseImageIsMissing() {
        Sample sample = sample("m7", new Trajectory(List.of(new TraceStep.Screenshot("no/such.png"))), null);
        try (SampleEncoder encoder = SampleEncoder.open(settings(folder))) {
            assertThatThrownBy(() -> encoder.encode(List.of(sample), CATALOG, ContextUnit.TEXT))
                    .isInstanceOfSatisfying(
                            PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                    .hasMessageContaining("sample m7")
                    .hasMessageContaining("such.png does not exist");
        }
    }

    @Test
    void refusesLinksOutOfTheImageRootButThoseOfTheHubsCache() throws IOException {
        Path secret = Files.write(folder.resolve("secret.png"), new byte[] {1});
        Path root = Files.createDirectories(folder.resolve("archive"));
        Files.createSymbolicLink(root.resolve("link.png"), secret);
        TraceStep.Screenshot link = new TraceStep.Screenshot("link.png");
        assertThatThrownBy(() -> new ImageFolder(root).image(link, "m"))
                .hasMessageContaining("sample m")
                .hasMessageContaining("link.png is a link that leads out of the image root " + root);
        Path blob =
                Files.write(Files.createDirectories(folder.resolve("hub/blobs")).resolve("1"), new byte[] {1});
        Path snapshot = Files.createDirectories(folder.resolve("hub/snapshots/abc"));
        Files.createSymbolicLink(snapshot.resolve("link.png"), Path.of("../../blobs/1"));
        assertThat(new ImageFolder(snapshot).image(link, "m").file()).hasSameBinaryContentAs(blob);
    }

    @Test
    void refusesImagesOutsideTheImageRootOrWithoutOne() {
        Sample outside = sample("m", new Trajectory(List.of(new TraceStep.Screenshot("../secret.png"))), null);
        try (SampleEncoder encoder = SampleEncoder.open(settings(folder))) {
            assertThatThrownBy(() -> encoder.encode(List.of(outside), CATALOG, ContextUnit.TEXT))
                    .hasMessageContaining("../secret.png lies outside the image root");
        }
        try (SampleEncoder encoder = SampleEncoder.open(settings(null))) {
            assertThatThrownBy(() -> encoder.encode(List.of(outside), CATALOG, ContextUnit.TEXT))
                    .isInstanceOfSatisfying(
                            PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.USAGE))
                    .hasMessageContaining("--images");
        }
    }

    @Test
    void aSignalEndsEncodingAndReadingWith75() {
        Sample sample = sample("a", Trajectory.ofTexts(List.of("打开地图")), null);
        try (StopSignal stop = StopSignal.install();
                SampleEncoder encoder = SampleEncoder.open(settings(folder), stop)) {
            encoder.encode(List.of(sample), CATALOG, ContextUnit.TEXT);
            stop.request();
            assertThatThrownBy(() -> encoder.encode(List.of(sample), CATALOG, ContextUnit.TEXT))
                    .isInstanceOfSatisfying(
                            PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.CHECKPOINTED))
                    .hasMessage("stopped by a signal while the samples were encoded; " + folder.resolve("store")
                            + " keeps the finished encodings; run the same command again");
            assertThatThrownBy(() -> encoder.screenText(new TraceStep.Screenshot("never-read.png")))
                    .hasMessageStartingWith("stopped by a signal while the samples were encoded");
        }
    }

    @Test
    void namesTheSampleWithoutSteps() {
        Sample empty = sample("e", Trajectory.ofTexts(List.of()), null);
        try (SampleEncoder encoder = SampleEncoder.open(settings(null))) {
            assertThatThrownBy(() -> encoder.encode(List.of(empty), CATALOG, ContextUnit.TEXT))
                    .hasMessageContaining("sample e has an empty trajectory");
        }
    }
}
