package dev.prpf.par.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.par.chat.ChatTemplates;
import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.ModelInit;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.TinyModels;
import dev.prpf.par.response.ResponseForm;
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

class SeeingSamplerTest {
    private static final RolloutProvenance PLAIN = TinyPolicy.provenance(TinyPolicy.sampling(0.8, 0, 1, false));

    private final List<String> events = new ArrayList<>();

    private static PromptExample prompt(PromptImageReader reader, String image) {
        long[] ids = {1, reader.placeholder(), 2};
        VisualPrompt seen = reader.prompt(ids, List.of(new TraceStep.Screenshot(image)), image);
        return new PromptExample(image, seen, List.of(List.of()), ResponseForm.BARE, List.of());
    }

    private static List<long[]> written(List<RolloutGroup> groups) {
        return groups.stream()
                .flatMap(group -> group.rollouts().stream())
                .map(Rollout::ids)
                .toList();
    }

    @Test
    void imagesAreReadInPartsAndRepeatedPromptsDrawnTwice(@TempDir Path folder) {
        int vocabulary = SmallTokenizer.write(folder, "<|vision_start|>", Piece.IMAGE_PAD, "<|vision_end|>");
        try (Tokenizer tokenizer = Tokenizer.load(folder);
                DecoderWeights weights =
                        ModelInit.random(TinyModels.seeing(vocabulary, 256, false), new ModelInit.Scale(0.3, 0), 3);
                CausalLm decoder = CausalLm.of(weights, Precision.FP32)) {
            int pad = Math.toIntExact(tokenizer.controlToken(Piece.IMAGE_PAD));
            int end = Math.toIntExact(tokenizer.controlToken("<|im_end|>"));
            WatchedEncoder encoder =
                    new WatchedEncoder(new FakeVisionEncoder(decoder.config().hiddenSize()), events);
            PromptImageReader reader = new PromptImageReader(encoder, pad, new ImageFolder(folder), 0);
            ChatTokenizer chat = new ChatTokenizer(tokenizer, ChatTemplates.CHATML, reader);
            GroupSampler sampler = new GroupSampler(chat, List.of(end), TinyPolicy.REWARD, 2, 8);
            List<PromptExample> prompts = Stream.of("a-2x3.png", "b-3x1.png", "a-2x3.png")
                    .map(image -> prompt(reader, image))
                    .toList();
            List<RolloutGroup> together = sampler.sample(decoder, PLAIN, prompts, this::looked, Long.MAX_VALUE);
            assertThat(events).startsWith("seen", "seen", "seen", "decoded").endsWith("decoded");
            events.clear();
            List<RolloutGroup> apart = sampler.sample(decoder, PLAIN, prompts, this::looked, 1);
            assertThat(events.stream().filter("seen"::equals)).hasSize(3);
            assertThat(events).startsWith("seen", "decoded");
            assertThat(apart).extracting(RolloutGroup::id).containsExactly("a-2x3.png", "b-3x1.png", "a-2x3.png");
            assertThat(written(apart)).containsExactlyElementsOf(written(together));
            assertThat(written(apart).get(0)).isNotEqualTo(written(apart).get(4));
        }
    }

    /** A generator asks before each step whether it was cancelled. */
    private boolean looked() {
        events.add("decoded");
        return false;
    }
}
