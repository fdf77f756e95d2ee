package dev.prpf.par.rollout;

import dev.prpf.data.FunctionCall;
import dev.prpf.par.chat.ChatTemplates;
import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.engine.AttentionShape;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.ModelInit;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.Precision.PrecisionChoice;
import dev.prpf.par.engine.TinyModels;
import dev.prpf.par.prompt.Prompts;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.reward.RewardSettings;
import dev.prpf.par.reward.StructuredReward;
import dev.prpf.par.sets.PromptExample;
import dev.prpf.par.tokenizer.SmallTokenizer;
import dev.prpf.par.tokenizer.Tokenizer;
import dev.prpf.par.vision.VisualPrompt;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** A model with random weights and prompts for it: what it writes says nothing, but always the same. */
final class TinyPolicy implements AutoCloseable {
    static final StructuredReward REWARD = new StructuredReward(RewardSettings.PAPER, Prompts.POOL);

    final Tokenizer tokenizer;
    final List<Integer> end;
    final CausalLm decoder;

    TinyPolicy(Path folder) {
        int vocabulary = SmallTokenizer.write(folder);
        tokenizer = Tokenizer.load(folder);
        end = List.of(Math.toIntExact(tokenizer.controlToken("<|im_end|>")));
        decoder = decoder(vocabulary, 11);
    }

    CausalLm decoder(int vocabulary, long seed) {
        DecoderConfig shape =
                TinyModels.llama(vocabulary, 16, 32, 1, AttentionShape.of(2, 1, 8, 10_000), 256, true, end);
        try (DecoderWeights weights = ModelInit.random(shape, new ModelInit.Scale(0.3, 0), seed)) {
            return CausalLm.of(weights, Precision.FP32);
        }
    }

    static RolloutSampling sampling(double temperature, int topK, double topP, boolean constrained) {
        return new RolloutSampling(4, temperature, topK, topP, 40, constrained, 64, PrecisionChoice.FP32, 7);
    }

    static RolloutProvenance provenance(RolloutSampling sampling) {
        return RolloutProvenance.of("w", "p", RewardSettings.PAPER, Prompts.POOL, sampling.settings());
    }

    GroupSampler sampler(int batchSize) {
        return new GroupSampler(new ChatTokenizer(tokenizer, ChatTemplates.CHATML), end, REWARD, 4, batchSize);
    }

    PromptExample prompt(String id, String text, boolean acts) {
        List<FunctionCall> answer = acts ? List.of(new FunctionCall("create_note", Map.of())) : List.of();
        return new PromptExample(
                id,
                VisualPrompt.ofText(tokenizer.encodePlain(text)),
                List.of(answer),
                ResponseForm.BARE,
                List.copyOf(Prompts.POOL.functions()));
    }

    /** Makes prompts of several lengths; every second one needs an intervention. */
    List<PromptExample> prompts(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> prompt("s" + i, "a".repeat(1 + 3 * i % 11) + i, i % 2 == 0))
                .toList();
    }

    @Override
    public void close() {
        decoder.close();
        tokenizer.close();
    }
}
