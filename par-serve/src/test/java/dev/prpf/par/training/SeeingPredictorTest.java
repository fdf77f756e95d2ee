package dev.prpf.par.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.PrpfException;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.par.chat.ChatTemplates;
import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.ModelInit;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.TinyModels;
import dev.prpf.par.generate.Generator.GenerationSettings;
import dev.prpf.par.prompt.Prompts;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.reward.RewardSettings;
import dev.prpf.par.reward.StructuredReward;
import dev.prpf.par.sets.PromptExample;
import dev.prpf.par.tokenizer.Piece;
import dev.prpf.par.tokenizer.SmallTokenizer;
import dev.prpf.par.tokenizer.Tokenizer;
import dev.prpf.par.vision.FakeVisionEncoder;
import dev.prpf.par.vision.PromptImageReader;
import dev.prpf.par.vision.VisualPrompt;
import dev.prpf.par.vision.WatchedEncoder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SeeingPredictorTest {
    private final List<String> events = new ArrayList<>();

    private static PromptExample prompt(PromptImageReader reader, String image) {
        VisualPrompt seen =
                reader.prompt(new long[] {1, reader.placeholder(), 2}, List.of(new TraceStep.Screenshot(image)), image);
        return new PromptExample(image, seen, List.of(List.of()), ResponseForm.BARE, List.of());
    }

    private List<String> predict(Path folder, CausalLm decoder, int width, long mostBytes) {
        events.clear();
        try (Tokenizer tokenizer = Tokenizer.load(folder)) {
            int pad = Math.toIntExact(tokenizer.controlToken(Piece.IMAGE_PAD));
            int end = Math.toIntExact(tokenizer.controlToken("<|im_end|>"));
            WatchedEncoder encoder = new WatchedEncoder(new FakeVisionEncoder(width), events);
            PromptImageReader reader = new PromptImageReader(encoder, pad, new ImageFolder(folder), 0);
            Predictor predictor = Predictor.greedy(
                    new ChatTokenizer(tokenizer, ChatTemplates.CHATML, reader),
                    new StructuredReward(RewardSettings.PAPER, Prompts.POOL),
                    GenerationSettings.greedy(6, List.of(end), 4),
                    mostBytes);
            List<PromptExample> prompts = Stream.of("a-2x3.png", "b-3x1.png", "c-1x2.png")
                    .map(image -> prompt(reader, image))
                    .toList();
            return predictor.predict(decoder, prompts).stream()
                    .map(one -> one.prompt().id() + ": " + one.response().text())
                    .toList();
        }
    }

    /** The decoder refuses features of another width: what was seen by then was in memory at once. */
    @Test
    void featuresInMemoryAreBoundedByBytes(@TempDir Path folder) {
        int vocabulary = SmallTokenizer.write(folder, "<|vision_start|>", Piece.IMAGE_PAD, "<|vision_end|>");
        try (DecoderWeights weights =
                        ModelInit.random(TinyModels.seeing(vocabulary, 256, false), new ModelInit.Scale(0.3, 0), 3);
                CausalLm decoder = CausalLm.of(weights, Precision.FP32)) {
            int width = decoder.config().hiddenSize();
            int other = width + 1;
            assertThatThrownBy(() -> predict(folder, decoder, other, 1)).isInstanceOf(PrpfException.class);
            assertThat(events).hasSize(1);
            long two = (6L + 3) * other * Float.BYTES;
            assertThatThrownBy(() -> predict(folder, decoder, other, two)).isInstanceOf(PrpfException.class);
            assertThat(events).hasSize(2);

            List<String> together = predict(folder, decoder, width, Long.MAX_VALUE);
            assertThat(together).hasSize(3);
            assertThat(predict(folder, decoder, width, 1)).isEqualTo(together);
        }
    }
}
