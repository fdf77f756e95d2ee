package dev.prpf.data.encode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.data.Offset.offset;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.ScenarioCatalog.Scenario;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.data.encode.EncoderSettings.ContextUnit;
import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.data.encode.ocr.DrawnScreen;
import dev.prpf.data.encode.spec.EncoderSpec.EncoderPrecision;
import dev.prpf.data.encode.spec.EncoderSpec.LongText;
import dev.prpf.data.encode.spec.ShippedEncoders;
import dev.prpf.data.encode.store.EmbeddingStore.StorePlace;
import dev.prpf.data.encode.store.EmbeddingStore.Vectors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Encodes samples with each kind of image encoder; the CLIP encoder is the tiny golden one, 16 floats wide. */
@Tag("slow")
class StoredImagesTest {
    private static final ScenarioCatalog CATALOG =
            new ScenarioCatalog(List.of(new Scenario("Shopping", "购物")), Map.of("buy", "Shopping"));

    @TempDir
    Path folder;

    private Path golden;
    private Sample sample;

    @BeforeEach
    void draw() throws IOException {
        golden = TestFiles.golden("clip-vision");
        DrawnScreen.of(List.of("订单已发货")).write(folder.resolve("a.png"));
        // In the middle, where CLIP crops.
        DrawnScreen.of(List.of("", "", "", "", "", "", "", "", "", "", "剩余电量15%"))
                .write(folder.resolve("b.png"));
        Files.copy(folder.resolve("a.png"), folder.resolve("same-as-a.png"));
        sample = new Sample(
                "s",
                1,
                null,
                null,
                new DeviceContext("学生", "静音", "晴"),
                new Trajectory(List.of(
                        new TraceStep.Screenshot("a.png"),
                        new TraceStep.Caption("点击返回"),
                        new TraceStep.Screenshot("b.png"),
                        new TraceStep.Screenshot("same-as-a.png"))),
                null);
    }

    private SampleEncoder open(String frameEncoder, int threads) {
        return SampleEncoder.open(settings(frameEncoder, threads));
    }

    private EncoderSettings settings(String frameEncoder, int threads) {
        return new EncoderSettings(
                ShippedEncoders.DEFAULT,
                EncoderPrecision.INT8,
                LongText.MEAN_OF_WINDOWS,
                frameEncoder,
                threads,
                folder.resolve("store"),
                folder);
    }

    private static float[] image(SampleEncoder encoder, Path file) {
        return encoder.imageEncoder().encode(List.of(ImageFile.of(file)))[0];
    }

    @Test
    void clipSeesTheImagesAndTextsStayTexts() {
        try (SampleEncoder encoder = open("clip:" + golden, 2)) {
            assertThat(encoder.imageEncoderId()).startsWith("clip-fp32-16-");
            assertThat(encoder.width()).as("the wider of 512 and 16").isEqualTo(512);
            SampleFeatures features =
                    encoder.encode(List.of(sample), CATALOG, ContextUnit.TEXT).get(0);
            assertThat(features.screenshot()).containsExactly(true, false, true, true);
            float[] seen = image(encoder, folder.resolve("a.png"));
            assertThat(seen).hasSize(16);
            assertThat(features.steps()[0]).isEqualTo(Arrays.copyOf(seen, 512)).isEqualTo(features.steps()[3]);
            assertThat(features.steps()[2]).isNotEqualTo(features.steps()[0]);
            assertThat(features.steps()[1]).isEqualTo(encoder.encodeTexts(List.of("点击返回"))[0]);
            assertThat(encoder.imagesRead()).as("equal images are seen once").isEqualTo(2);
            assertThat(encoder.encodeStep(new TraceStep.Screenshot("a.png"))).isEqualTo(features.steps()[0]);
        }
        try (SampleEncoder again = open("clip:" + golden, 1)) {
            again.encode(List.of(sample), CATALOG, ContextUnit.TEXT);
            assertThat(again.loaded()).as("all of it was stored").isFalse();
        }
    }

    @Test
    void bothIsTextThenImageEachOfLengthOne() {
        float[] read;
        float[] seen;
        try (SampleEncoder ocr = open("ocr", 2)) {
            read = image(ocr, folder.resolve("a.png"));
        }
        try (SampleEncoder clip = open("clip:" + golden, 1)) {
            seen = image(clip, folder.resolve("a.png"));
        }
        try (SampleEncoder both = open("both:" + golden, 2)) {
            assertThat(both.width()).isEqualTo(528);
            assertThat(both.imageEncoderId())
                    .startsWith("both(pp-ocrv4-")
                    .contains("|clip-fp32-16-")
                    .endsWith(")");
            float[] vector = image(both, folder.resolve("a.png"));
            assertThat(Arrays.copyOf(vector, 512)).containsExactly(Vectors.unit(read), offset(1e-6f));
            assertThat(Arrays.copyOfRange(vector, 512, 528)).containsExactly(Vectors.unit(seen), offset(1e-6f));
            SampleFeatures features =
                    both.encode(List.of(sample), CATALOG, ContextUnit.TEXT).get(0);
            assertThat(features.context()[0][0]).hasSize(528);
            assertThat(features.steps()[0]).isEqualTo(vector);
        }
    }

    @Test
    void aTowerIsWhatItsConfigurationSays() {
        Path siglip = TestFiles.golden("siglip-vision");
        float[] seen;
        try (SampleEncoder encoder = open("siglip:" + siglip, 1)) {
            assertThat(encoder.imageEncoderId()).startsWith("siglip-fp32-32-");
            seen = image(encoder, folder.resolve("a.png"));
        }
        try (SampleEncoder encoder = open("tower:" + siglip, 1)) {
            assertThat(image(encoder, folder.resolve("a.png"))).isEqualTo(seen);
            assertThat(encoder.imagesRead()).as("taken from the same store").isZero();
        }
        try (SampleEncoder encoder = open("both:" + siglip, 1)) {
            assertThat(encoder.imageEncoderId()).contains("|siglip-fp32-32-");
            assertThat(encoder.width()).isEqualTo(544);
        }
        assertThatThrownBy(() -> open("clip:" + siglip, 1))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                .hasMessageContaining("is a siglip vision encoder, not clip:PATH");
    }

    @Test
    void featuresCanBeReadWhenTheEncoderIsClosed() {
        for (String choice : List.of("ocr", "clip:" + golden, "both:" + golden)) {
            SampleFeatures features;
            float[][] steps;
            try (SampleEncoder encoder = open(choice, 1)) {
                features = encoder.encode(List.of(sample), CATALOG, ContextUnit.TEXT)
                        .get(0);
                steps = features.steps();
            }
            assertThat(features.steps()).as(choice).isDeepEqualTo(steps);
            assertThat(features.context()).as(choice).hasDimensions(3, 1);
        }
    }

    @Test
    void aChangedImageChangesTheFactsOfARun() throws IOException {
        EncoderSettings settings = settings("ocr", 2);
        Path data = records(
                "{\"source\": \"picture\", \"picture\": \"a.png\"}, {\"source\": \"picture\", \"picture\": \"b.png\"}");
        Map<String, String> before = settings.imageFacts("images_sha256", data);
        assertThat(before.get("images_sha256")).matches("[0-9a-f]{64}");
        assertThat(settings.imageFacts("images_sha256", data)).isEqualTo(before);
        DrawnScreen.of(List.of("剩余电量16%")).write(folder.resolve("b.png"));
        assertThat(settings.imageFacts("images_sha256", data)).isNotEqualTo(before);
        assertThat(settings.imageFacts("images_sha256", records("\"打开地图\"")))
                .as("no image is named")
                .isEmpty();
    }

    private Path records(String trace) throws IOException {
        return Files.writeString(
                folder.resolve("data.json"),
                """
                [{"benchmark_metadata": {"id": "s", "difficulty_level": 1},
                  "reference_information": {"profile": "学生", "phone": "静音", "world": "晴", "trace": [%s]}}]
                """
                        .formatted(trace));
    }

    @Test
    void manyThreadsReadEachContentOnce() throws IOException {
        for (int i = 0; i < 6; i++) {
            Files.copy(folder.resolve(i % 2 == 0 ? "a.png" : "b.png"), folder.resolve(i + ".png"));
        }
        try (SampleEncoder encoder = open("ocr", 3)) {
            List<ImageFile> images = Arrays.asList(0, 1, 2, 3, 4, 5).stream()
                    .map(i -> ImageFile.of(folder.resolve(i + ".png")))
                    .toList();
            float[][] vectors = encoder.imageEncoder().encode(images);
            assertThat(encoder.imagesRead()).isEqualTo(2);
            assertThat(vectors[4]).isEqualTo(vectors[0]).isNotEqualTo(vectors[1]);
        }
    }

    @Test
    void aDataUrlIsTheImageAndLeavesNothingOnTheDisk() throws IOException {
        Sample sent = sample.with(
                sample.context(),
                new Trajectory(List.of(url("a.png"), new TraceStep.Caption("点击返回"), url("b.png"), url("a.png"))),
                null);
        for (String kind : List.of("ocr", "clip:" + golden)) {
            EncoderSettings nowhere = new EncoderSettings(
                    ShippedEncoders.DEFAULT,
                    EncoderPrecision.INT8,
                    LongText.MEAN_OF_WINDOWS,
                    kind,
                    1,
                    folder.resolve("never-made"),
                    null);
            try (SampleEncoder files = open(kind, 1);
                    SampleEncoder memory = SampleEncoder.openInMemory(nowhere, new StorePlace.Memory(1))) {
                SampleFeatures whole =
                        files.encode(List.of(sample), CATALOG, ContextUnit.TEXT).get(0);
                SampleFeatures given =
                        memory.encode(List.of(sent), CATALOG, ContextUnit.TEXT).get(0);
                assertThat(given.steps()).as("in a store with room for nothing").isDeepEqualTo(whole.steps());
                assertThat(memory.encodeStep(url("b.png"))).isEqualTo(whole.steps()[2]);
                assertThat(memory.screenText(url("a.png"))).isEqualTo("订单已发货");
                assertThat(memory.reused()).isZero();
            }
        }
        assertThat(folder.resolve("never-made")).doesNotExist();
    }

    /** The perceiver of a server would otherwise hash large images of one key while another key waits. */
    @Test
    void aHashedImageThatWasSeen_isNotDecodedAgain() throws IOException {
        TraceStep.Screenshot step = url("a.png");
        AtomicInteger decoded = new AtomicInteger();
        ImageFile.Content hashed =
                Objects.requireNonNull(ImageFile.hashed(step.path()).content());
        ImageFile.Content counted = new ImageFile.Content(
                () -> {
                    decoded.incrementAndGet();
                    return hashed.bytes();
                },
                null,
                hashed.key());
        IdentityHashMap<String, ImageFile> known = new IdentityHashMap<>();
        known.put(step.path(), new ImageFile(null, counted, ""));
        Sample sent = sample.with(sample.context(), new Trajectory(List.of(step)), null);
        EncoderSettings settings = EncoderSettings.untrained(folder.resolve("never-made"), null);
        try (SampleEncoder memory = SampleEncoder.openInMemory(settings, new StorePlace.Memory(1 << 20))) {
            memory.see(new ImageFile(null, counted, "").decoded(() -> {}), true);
            assertThat(decoded).hasValueGreaterThan(0);
            decoded.set(0);
            assertThat(memory.hasSeen(new ImageFile(null, counted, ""), true)).isTrue();
            ImageFolder.with(known, () -> {
                assertThat(memory.encode(List.of(sent), CATALOG, ContextUnit.TEXT))
                        .hasSize(1);
                assertThat(memory.encodeStep(step)).hasSize(memory.width());
                return memory.screenText(step);
            });
            assertThat(decoded).hasValue(0);
        }
    }

    private TraceStep.Screenshot url(String name) throws IOException {
        byte[] content = Files.readAllBytes(folder.resolve(name));
        return new TraceStep.Screenshot(
                "data:image/png;base64," + Base64.getEncoder().encodeToString(content));
    }

    @Test
    void anOverwrittenFileIsAnotherImage() throws IOException {
        Path screen = folder.resolve("screen.png");
        Files.copy(folder.resolve("a.png"), screen);
        try (SampleEncoder encoder = open("ocr", 1)) {
            assertThat(encoder.screenText(new TraceStep.Screenshot("screen.png")))
                    .isEqualTo("订单已发货");
            DrawnScreen.of(List.of("剩余电量15%")).write(screen);
            assertThat(encoder.screenText(new TraceStep.Screenshot("screen.png")))
                    .isEqualTo("剩余电量15%");
        }
    }

    @Test
    void missingImagesAreNamedBeforeAnythingIsEncoded() throws IOException {
        Files.delete(folder.resolve("b.png"));
        assertMissing(() -> settings("clip:" + golden, 1).requireImages(sample));
        try (SampleEncoder encoder = open("clip:" + golden, 1)) {
            assertMissing(() -> encoder.encode(List.of(sample), CATALOG, ContextUnit.TEXT));
            assertThat(encoder.imagesRead()).as("a.png is there").isZero();
        }
    }

    private static void assertMissing(ThrowableAssert.ThrowingCallable check) {
        assertThatThrownBy(check)
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                .hasMessageContaining("sample s: image")
                .hasMessageContaining("b.png does not exist");
    }

    @Test
    void namesAreTaughtWhenMistyped() {
        assertThatThrownBy(() -> open("clip", 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(
                        "frame-encoder = clip, must be ocr, clip:PATH, siglip:PATH, tower:PATH, both:PATH");
        assertThatThrownBy(() -> open("both:" + folder.resolve("none"), 1))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.UNAVAILABLE))
                .hasMessageContaining("none does not exist");
    }

    /** The reasoner's vision encoder runs in another module. */
    @Test
    void aReasonersTowerNeedsItsModule() {
        assertThatThrownBy(() -> open("vision:" + folder, 1))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.UNAVAILABLE))
                .hasMessageContaining("frame-encoder vision:PATH needs the module par-serve");
    }
}
