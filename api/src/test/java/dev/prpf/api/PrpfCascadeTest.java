package dev.prpf.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.api.PrpfException.ClosedException;
import dev.prpf.api.PrpfException.InvalidDataException;
import dev.prpf.api.PrpfException.UnavailableException;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PrpfCascadeTest {
    private static PrpfCascade cascade;

    @TempDir
    private Path folder;

    @BeforeAll
    static void load() {
        cascade = PrpfCascade.load(TinyCascade.FOLDER);
    }

    @AfterAll
    static void close() {
        cascade.close();
    }

    @Test
    void aSampleThatPassesTheGateGetsActions() {
        Perception perception = cascade.perceive(TinyCascade.DENTIST);
        assertThat(perception.probability()).isBetween(cascade.threshold(), 1.0);
        assertThat(perception.triggers()).isTrue();
        assertThat(perception.scenarios()).containsOnlyKeys("Planning", "Communication", "Travel");

        Recommendation answer = cascade.recommend(TinyCascade.DENTIST);
        assertThat(answer.perception().probability()).isEqualTo(perception.probability(), within(1e-5));
        assertThat(answer).isInstanceOfSatisfying(Recommendation.Actions.class, actions -> {
            FunctionCall call = actions.calls().get(0);
            assertThat(call.name()).isIn("set_reminder", "send_message", "start_navigation");
            assertThat(call.arguments().values()).isNotEmpty().allMatch(String.class::isInstance);
        });
    }

    @Test
    void aSampleBelowTheThresholdStaysSilent() {
        Recommendation answer = cascade.recommend(TinyCascade.PODCAST);
        assertThat(answer).isInstanceOf(Recommendation.BelowThreshold.class);
        assertThat(answer.perception().triggers()).isFalse();
    }

    @Test
    void aStreamEqualsTheWholeSample() {
        PrpfStream stream = cascade.stream(TinyCascade.DENTIST.context());
        assertThatThrownBy(stream::recommend)
                .isInstanceOf(InvalidDataException.class)
                .hasMessageStartingWith("sample stream has an empty trajectory, at least one step is needed");
        stream.add(TinyCascade.DENTIST.trace().get(0));
        Perception last = stream.add(TinyCascade.DENTIST.trace().get(1));
        assertThat(last.probability())
                .isEqualTo(cascade.perceive(TinyCascade.DENTIST).probability(), within(1e-5));
        assertThat(stream.recommend()).isInstanceOf(Recommendation.Actions.class);

        stream.context(TinyCascade.PODCAST.context());
        assertThat(stream.add(Step.text("Continues a podcast")).probability()).isLessThan(last.probability());
    }

    @Test
    void aStreamKeepsTheLastSteps() {
        PrpfStream stream = cascade.stream(TinyCascade.PODCAST.context());
        for (int i = 0; i < PrpfStream.KEPT + 2; i++) {
            assertThat(stream.add(Step.text("Continues a podcast")).probability())
                    .isBetween(0.0, 1.0);
        }
        assertThat(stream.recommend()).isNotNull();
    }

    @Test
    void manyThreadsGetTheSameAnswers() throws InterruptedException, ExecutionException {
        Recommendation alone = cascade.recommend(TinyCascade.DENTIST);
        Recommendation silent = cascade.recommend(TinyCascade.PODCAST);
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<Recommendation>> answers = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                Sample sample = i % 2 == 0 ? TinyCascade.DENTIST : TinyCascade.PODCAST;
                answers.add(threads.submit(() -> cascade.recommend(sample)));
            }
            for (int i = 0; i < answers.size(); i++) {
                assertThat(answers.get(i).get()).isEqualTo(i % 2 == 0 ? alone : silent);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void closeWhileOthersCall_leavesWholeAnswersOrRefuses() throws InterruptedException, ExecutionException {
        PrpfCascade own = PrpfCascade.load(TinyCascade.FOLDER);
        Perception alone = own.perceive(TinyCascade.PODCAST);
        CountDownLatch begun = new CountDownLatch(4);
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<PrpfException>> ends = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                ends.add(threads.submit(() -> {
                    while (true) {
                        try {
                            assertThat(own.perceive(TinyCascade.PODCAST)).isEqualTo(alone);
                        } catch (PrpfException end) {
                            return end;
                        }
                        begun.countDown();
                    }
                }));
            }
            begun.await();
            own.close();
            for (Future<PrpfException> end : ends) {
                assertThat(end.get()).isInstanceOf(ClosedException.class);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void imagesAreFilesOrBytes() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ImageIO.write(new BufferedImage(64, 48, BufferedImage.TYPE_INT_RGB), "png", bytes);
        Path file = Files.write(folder.resolve("screen.png"), bytes.toByteArray());
        Perception ofFile = cascade.perceive(Sample.builder().image(file).build());
        Perception ofBytes = cascade.perceive(
                Sample.builder().step(Step.image(bytes.toByteArray())).build());
        assertThat(ofBytes).isEqualTo(ofFile);
    }

    @Test
    void aSampleThatCannotBeScoredIsRefused() throws IOException {
        assertThatThrownBy(() -> cascade.perceive(Sample.builder().id("s1").build()))
                .isInstanceOf(InvalidDataException.class)
                .hasMessage("sample s1 has an empty trajectory, at least one step is needed; `data validate` lists such"
                        + " records");
        assertThatThrownBy(() -> Sample.builder().id(" ").build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a sample's id must not be blank");
        Path missing = folder.resolve("missing.png");
        assertThatThrownBy(() -> cascade.recommend(
                        Sample.builder().id("s2").image(missing).build()))
                .isInstanceOf(InvalidDataException.class)
                .hasMessage("sample s2: image " + missing + " does not exist; check the path and the image root");
        Path text = Files.writeString(folder.resolve("text.png"), "not an image");
        assertThatThrownBy(() ->
                        cascade.perceive(Sample.builder().id("s3").image(text).build()))
                .isInstanceOf(InvalidDataException.class)
                .hasMessage("sample s3: image " + text + " is not an image that can be read (PNG, JPEG, GIF, BMP);"
                        + " convert it or remove the record");
        assertThatThrownBy(() -> cascade.stream(TinyCascade.DENTIST.context()).add(Step.image(new byte[] {1, 2})))
                .isInstanceOf(InvalidDataException.class)
                .hasMessage(
                        "image of 2 bytes is not an image that can be read (PNG, JPEG, GIF, BMP); convert it or remove"
                                + " the record");
    }

    @Test
    void close_thenUse_isRefused() {
        PrpfCascade own = PrpfCascade.load(TinyCascade.FOLDER); // a second one of the same folder
        PrpfStream stream = own.stream(TinyCascade.DENTIST.context());
        own.close();
        own.close();
        String message = TinyCascade.FOLDER + ": the cascade is closed; load it again";
        assertThatThrownBy(() -> own.perceive(TinyCascade.DENTIST))
                .isInstanceOf(ClosedException.class)
                .hasMessage(message);
        assertThatThrownBy(() -> own.recommend(TinyCascade.DENTIST))
                .isInstanceOf(ClosedException.class)
                .hasMessage(message);
        assertThatThrownBy(() -> stream.add(Step.text("Opens the calendar")))
                .isInstanceOf(ClosedException.class)
                .hasMessage(message);
    }

    @Test
    void loadGate_hasNoReasoner() throws IOException {
        Path copy = TinyCascade.copy(folder.resolve("gate only"));
        Files.delete(copy.resolve("reasoner/model.safetensors"));
        try (PrpfCascade gate = PrpfCascade.loadGate(copy)) {
            assertThat(gate.perceive(TinyCascade.DENTIST).triggers()).isTrue();
            assertThat(gate.recommend(TinyCascade.PODCAST)).isInstanceOf(Recommendation.BelowThreshold.class);
            assertThatThrownBy(() -> gate.recommend(TinyCascade.DENTIST))
                    .isInstanceOf(UnavailableException.class)
                    .hasMessage(
                            copy + ": was opened by loadGate, without its reasoner; open it with load to recommend");
        }
    }
}
