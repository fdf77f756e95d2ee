package dev.prpf.par.cascade;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.mpp.CandidatePool;
import dev.prpf.mpp.Perceiver;
import dev.prpf.par.chat.ChatTemplates;
import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.ModelInit;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.TinyModels;
import dev.prpf.par.generate.Generator.GenerationSettings;
import dev.prpf.par.generate.SamplingParams;
import dev.prpf.par.generate.SamplingParams.StoppingCriteria;
import dev.prpf.par.prompt.PromptRenderer;
import dev.prpf.par.prompt.PromptSettings.ScreenshotForm;
import dev.prpf.par.prompt.Prompts;
import dev.prpf.par.tokenizer.Piece;
import dev.prpf.par.tokenizer.SmallTokenizer;
import dev.prpf.par.tokenizer.Tokenizer;
import dev.prpf.par.vision.FakeVisionEncoder;
import dev.prpf.par.vision.PromptImageReader;
import dev.prpf.par.vision.WatchedEncoder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.commons.lang3.StringUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SeeingReasonerTest {
    @TempDir
    private Path folder;

    private final List<String> events = new ArrayList<>();

    private LocalReasoner reasoner() {
        int vocabulary = SmallTokenizer.write(folder, "<|vision_start|>", Piece.IMAGE_PAD, "<|vision_end|>");
        ChatTokenizer chat = new ChatTokenizer(Tokenizer.load(folder), ChatTemplates.CHATML);
        int pad = Math.toIntExact(chat.tokenizer().controlToken(Piece.IMAGE_PAD));
        int end = Math.toIntExact(chat.tokenizer().controlToken("<|im_end|>"));
        try (DecoderWeights weights =
                ModelInit.random(TinyModels.seeing(vocabulary, 768, false), new ModelInit.Scale(0.3, 0), 3)) {
            CausalLm decoder = CausalLm.of(weights, Precision.FP32);
            WatchedEncoder encoder =
                    new WatchedEncoder(new FakeVisionEncoder(decoder.config().hiddenSize()), events);
            return new LocalReasoner(
                    "seeing",
                    new PromptRenderer(
                            Prompts.brief().with(ScreenshotForm.PIXELS, null), Prompts.CATALOG, Prompts.FAKE_SCREENS),
                    chat.seeing(new PromptImageReader(encoder, pad, new ImageFolder(folder), 0)),
                    decoder,
                    new GenerationSettings(new SamplingParams(6, null, 1, StoppingCriteria.at(List.of(end)), false), 3),
                    null,
                    null,
                    null);
        }
    }

    private static Reasoner.Request request(String image) {
        Trajectory shown = new Trajectory(List.of(new TraceStep.Screenshot(image)));
        Sample sample = new Sample(image, 1, null, null, Prompts.CONTEXT, shown, null);
        CandidatePool pool = CandidatePool.ofTop(2, Prompts.perception(), Prompts.POOL, Prompts.CATALOG);
        return new Reasoner.Request(sample, Prompts.perception(), pool);
    }

    private List<String> texts(LocalReasoner reasoner, List<Reasoner.Request> requests, long mostBytes) {
        events.clear();
        return reasoner.reason(requests, () -> events.add("answered"), mostBytes).stream()
                .map(Reasoner.Reasoning::text)
                .toList();
    }

    /** So that the features of all images are never in memory at once. */
    @Test
    void imagesAreSeenFewAtATimeAndAnswersStayInTheirPlaces() {
        try (LocalReasoner reasoner = reasoner()) {
            List<Reasoner.Request> requests = Stream.of("a-2x3.png", "b-3x1.png", "c-1x2.png")
                    .map(SeeingReasonerTest::request)
                    .toList();
            List<String> together = texts(reasoner, requests, Long.MAX_VALUE);
            assertThat(events).containsExactly("seen", "seen", "seen", "answered", "answered", "answered");
            List<String> alone = texts(reasoner, requests, 1);
            for (int i = 0; i < together.size(); i++) { // later tokens may differ: other batches, other roundings
                assertThat(StringUtils.getCommonPrefix(alone.get(i), together.get(i)))
                        .isNotEmpty();
            }
            assertThat(events).containsExactly("seen", "answered", "seen", "answered", "seen", "answered");
            long two = (6L + 3) * reasoner.decoder().config().hiddenSize() * Float.BYTES;
            texts(reasoner, requests, two);
            assertThat(events).containsExactly("seen", "seen", "answered", "answered", "seen", "answered");
        }
    }

    @Test
    void aRequestThatIsTooLongIsRefusedInItsPlaceAndNotSeen() {
        try (LocalReasoner reasoner = reasoner()) {
            List<Reasoner.Request> requests = Stream.of("a-2x3.png", "long-90x10.png", "c-1x2.png")
                    .map(SeeingReasonerTest::request)
                    .toList();
            List<String> fitting = texts(reasoner, List.of(requests.get(0), requests.get(2)), 1);
            assertThat(texts(reasoner, requests, 1)).containsExactly(fitting.get(0), "", fitting.get(1));
            assertThat(events).containsExactly("seen", "answered", "seen", "answered", "answered");
        }
    }

    @Test
    void whatIsAskedOfASampleIsSeenOnlyIfItIsShortEnough() {
        try (LocalReasoner reasoner = reasoner()) {
            LogOddsReading reading = new LogOddsReading(reasoner, Prompts.CATALOG);
            List<Perceiver.Costed> read =
                    reading.read(List.of(request("long-90x10.png").sample()));
            assertThat(read.get(0).fault()).matches("the prompt has \\d+ tokens, the model takes 7\\d\\d");
            assertThat(events).isEmpty();
            assertThat(reading.read(List.of(request("a-2x3.png").sample()))
                            .get(0)
                            .fault())
                    .isNull();
            assertThat(events).hasSize(1 + Prompts.CATALOG.size()).containsOnly("seen");
        }
    }
}
