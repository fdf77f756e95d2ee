package dev.prpf.mpp.perceive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.base.error.PrpfException;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.encode.spec.EncoderSpec.EncoderPrecision;
import dev.prpf.data.encode.spec.EncoderSpec.LongText;
import dev.prpf.data.io.ScenarioCatalogReader;
import dev.prpf.data.synth.screen.ScreenFont;
import dev.prpf.mpp.MadeShape;
import dev.prpf.mpp.Perception;
import dev.prpf.mpp.calibration.ProbabilityCalibration;
import dev.prpf.mpp.network.definition.JointLoss;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.host.HostEngine;
import dev.prpf.mpp.network.host.ParameterStore;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compares the stream with the batch path over real encoders, on texts and images. */
@Tag("slow")
class StreamingPerceiverTest {
    private static final ScenarioCatalog CATALOG = ScenarioCatalogReader.shipped();
    private static final DeviceContext CONTEXT = new DeviceContext("上班族", "电量充足", "晴天，早上八点");
    private static final NetworkShape SHAPE = MadeShape.small()
            .inputs(512, 0, false)
            .window(2, 3, 3)
            .transformer(32, 4, 1, 64)
            .scenarios(CATALOG.names().size())
            .shape();

    @TempDir
    Path directory;

    private SampleEncoder encoder;
    private MppPerceiver batch;
    private StreamingPerceiver stream;

    @BeforeEach
    void open() {
        EncoderSettings settings =
                new EncoderSettings(EncoderPrecision.INT8, LongText.TRUNCATE, 1, directory.resolve("store"), directory);
        encoder = SampleEncoder.openForStream(settings);
        MppDescription description = new MppDescription(
                SHAPE, new JointLoss(2, 0.5, 0.5), CATALOG.names(), encoder.textEncoderId(), encoder.imageEncoderId());
        MppModel model = new MppModel(
                description, new HostEngine(ParameterStore.initial(SHAPE, 5)), new ProbabilityCalibration.None());
        batch = new MppPerceiver("mpp", List.of(model), sample -> 0, encoder, CATALOG);
        stream = new StreamingPerceiver(model, encoder, CATALOG);
    }

    @AfterEach
    void close() {
        batch.close();
        encoder.close();
    }

    private void assertSame(Perception streamed, DeviceContext context, Trajectory trajectory) {
        Perception whole = batch.perceive(List.of(sample(context, trajectory))).get(0);
        assertThat(streamed.pTrigger()).isCloseTo(whole.pTrigger(), within(1e-5));
        assertThat(streamed.scenarios().keySet())
                .containsExactlyElementsOf(whole.scenarios().keySet());
        whole.scenarios()
                .forEach((name, p) -> assertThat(streamed.scenarios().get(name)).isCloseTo(p, within(1e-5)));
    }

    private static Sample sample(DeviceContext context, Trajectory trajectory) {
        return new Sample("s", 1, null, null, context, trajectory, null);
    }

    private static TraceStep caption(String text) {
        return new TraceStep.Caption(text);
    }

    @Test
    void textStreamEqualsBatchPathAndEncodesOnce() {
        stream.context(CONTEXT);
        assertThat(encoder.encoded()).isEqualTo(3);
        List<String> steps = new ArrayList<>();
        for (String step : List.of("打开地图", "搜索机场", "打开地图", "返回桌面", "锁屏")) {
            steps.add(step);
            assertSame(stream.step(caption(step)), CONTEXT, Trajectory.ofTexts(steps));
        }
        assertThat(encoder.encoded())
                .as("three texts of the context, four different steps")
                .isEqualTo(7);
        assertThat(stream.steps()).isEqualTo(5);
    }

    @Test
    void stepBeforeContextIsRejected() {
        assertThatThrownBy(() -> stream.step(caption("打开地图")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no context yet, so the step is ignored");
        assertThatThrownBy(() -> stream.step(new TraceStep.Screenshot("none.png")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("the step is ignored");
        assertThat(stream.steps()).isZero();
        stream.context(CONTEXT);
        assertSame(stream.step(caption("搜索机场")), CONTEXT, Trajectory.ofTexts(List.of("搜索机场")));
    }

    @Test
    void contextUpdateEncodesOnlyChangedTexts() {
        stream.context(CONTEXT);
        stream.step(caption("打开地图"));
        DeviceContext later = new DeviceContext(CONTEXT.profile(), "电量不足", CONTEXT.world());
        stream.context(later);
        assertThat(encoder.encoded()).isEqualTo(5);
        assertSame(stream.perceive(), later, Trajectory.ofTexts(List.of("打开地图")));
    }

    @Test
    void failedContextUpdateKeepsLastContext() throws IOException {
        stream.context(CONTEXT);
        stream.step(caption("打开地图"));
        encoder.encodeTexts(List.of("另一个人", "最后一条"));
        cutLastByte(directory.resolve("store").resolve(encoder.textEncoderId() + ".vectors"));
        DeviceContext later = new DeviceContext("另一个人", "电量不足", CONTEXT.world());
        assertThatThrownBy(() -> stream.context(later))
                .isInstanceOf(PrpfException.class)
                .hasMessageContaining("another program shortened it");
        assertSame(stream.perceive(), CONTEXT, Trajectory.ofTexts(List.of("打开地图")));
        stream.context(CONTEXT);
        assertSame(stream.perceive(), CONTEXT, Trajectory.ofTexts(List.of("打开地图")));
    }

    private static void cutLastByte(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(channel.size() - 1);
        }
    }

    @Test
    void imagesAreCachedByContentIfTheFileIsOverwritten() throws IOException {
        stream.context(CONTEXT);
        List<TraceStep> frames = new ArrayList<>();
        Path live = directory.resolve("live.png");
        for (String text : List.of("Flight to Shanghai", "Alarm 07:30", "Flight to Shanghai")) {
            String kept = frames.size() + ".png";
            draw(text, directory.resolve(kept));
            draw(text, live);
            frames.add(new TraceStep.Screenshot(kept));
            assertSame(stream.step(new TraceStep.Screenshot("live.png")), CONTEXT, new Trajectory(frames));
        }
        assertThat(encoder.imagesRead()).isEqualTo(2);
        Files.writeString(live, "no image");
        assertThatThrownBy(() -> stream.step(new TraceStep.Screenshot("live.png")))
                .isInstanceOf(PrpfException.class)
                .hasMessageContaining("live.png");
        assertThat(stream.steps()).as("an unreadable screenshot is ignored").isEqualTo(3);
    }

    private static void draw(String text, Path file) throws IOException {
        BufferedImage image = new BufferedImage(480, 120, BufferedImage.TYPE_INT_RGB);
        Graphics2D pen = image.createGraphics();
        pen.setColor(Color.WHITE);
        pen.fillRect(0, 0, 480, 120);
        pen.setColor(Color.BLACK);
        pen.setFont(ScreenFont.load(null).deriveFont(40f));
        pen.drawString(text, 20, 70);
        pen.dispose();
        ImageIO.write(image, "png", file.toFile());
    }

    @Test
    void sessionsShareNothingButWeights() {
        stream.context(CONTEXT);
        stream.step(caption("打开地图"));
        StreamingPerceiver other = stream.newSession();
        assertThatThrownBy(other::perceive)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no step");
        other.context(CONTEXT);
        assertSame(other.step(caption("锁屏")), CONTEXT, Trajectory.ofTexts(List.of("锁屏")));
        assertThat(stream.steps()).isEqualTo(1);
    }

    @Test
    void anotherEncoderIsRefused() {
        MppDescription foreign =
                new MppDescription(SHAPE, new JointLoss(2, 0.5, 0.5), CATALOG.names(), "other", "other");
        try (MppModel model = new MppModel(
                foreign, new HostEngine(ParameterStore.initial(SHAPE, 5)), new ProbabilityCalibration.None())) {
            assertThatThrownBy(() -> new StreamingPerceiver(model, encoder, CATALOG))
                    .isInstanceOf(PrpfException.class)
                    .hasMessageContaining("text encoder other");
        }
    }
}
