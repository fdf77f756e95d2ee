package dev.prpf.eval.judge;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.base.error.Closing;
import dev.prpf.base.error.PrpfException.RunInterruptedException;
import dev.prpf.par.chat.ChatMessage;
import dev.prpf.par.chat.ChatTemplate.Conversation;
import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.Prompt;
import dev.prpf.par.generate.Generation;
import dev.prpf.par.generate.Generation.FinishReason;
import dev.prpf.par.generate.GenerationRequest;
import dev.prpf.par.generate.Generator;
import dev.prpf.par.generate.Generator.GenerationSettings;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.openai.ChatModel;
import dev.prpf.par.openai.ChatModel.ChatOutcome;
import dev.prpf.par.openai.ChatRequest;
import dev.prpf.par.prompt.PromptProvenance;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/**
 * A model in this process: applies its chat template, without reasoning, and decodes greedily in batches.
 *
 * @param model the directory's name, a hash over its weights, and the number format
 * @param stopped polled between steps; true stops the running batch with 75
 */
record LocalModel(
        String model, ChatTokenizer chat, CausalLm decoder, GenerationSettings settings, BooleanSupplier stopped)
        implements ChatModel {
    private static final int HASH_OF_WEIGHTS = 12;

    /**
     * Loads the model of a configuration.
     *
     * @param stopped polled between steps; true stops the running batch with 75
     * @throws dev.prpf.base.error.PrpfException 69 if parts are missing, 65 if it has no end token or an unknown chat template
     */
    static LocalModel open(LlmJudge.LocalConfig config, BooleanSupplier stopped) {
        HuggingFaceDirectory directory = HuggingFaceDirectory.open(config.model());
        List<Integer> end = directory.requiredEndTokens();
        return Closing.ifRefused(PromptProvenance.tokenizer(config.model()), chat -> {
            String name = config.model().toAbsolutePath().normalize().getFileName() + ":"
                    + directory.sha256().substring(0, HASH_OF_WEIGHTS) + ":"
                    + config.dtype().label();
            return new LocalModel(
                    "local:" + name,
                    chat,
                    directory.decoder(config.dtype()),
                    GenerationSettings.greedy(config.maxNew(), end, config.batchSize())
                            .withoutLogprobs(),
                    stopped);
        });
    }

    @Override
    public void ask(List<ChatRequest> requests, Listener listener) {
        Map<Integer, long[]> fitting = new LinkedHashMap<>();
        for (int i = 0; i < requests.size(); i++) {
            long[] prompt = prompt(requests.get(i));
            int positions = decoder.config().maxPositions();
            if (prompt.length > positions) {
                listener.came(
                        i,
                        new ChatOutcome.TooLong(
                                "it has " + prompt.length + " tokens, the model has " + positions + " positions"));
            } else {
                fitting.put(i, prompt);
            }
        }
        List<Integer> open = new ArrayList<>(fitting.keySet());
        for (int from = 0; from < open.size(); from += settings.batchSize()) {
            List<Integer> batch = open.subList(from, Math.min(open.size(), from + settings.batchSize()));
            List<long[]> prompts = batch.stream().map(fitting::get).toList();
            List<ChatOutcome> outcomes = answers(prompts);
            IntStream.range(0, batch.size()).forEach(k -> listener.came(batch.get(k), outcomes.get(k)));
        }
    }

    private List<ChatOutcome> answers(List<long[]> prompts) {
        List<GenerationRequest> requests = prompts.stream()
                .map(prompt -> new GenerationRequest(Prompt.ofText(prompt), settings.params(), 0, null))
                .toList();
        List<Generation> generations = new Generator(decoder).generate(requests, settings.batchSize(), stopped);
        if (stopped.getAsBoolean()) {
            throw new RunInterruptedException(
                    "stopped by a signal; the answers so far are kept: run the same command again to resume");
        }
        return IntStream.range(0, prompts.size())
                .mapToObj(k -> answer(prompts.get(k), generations.get(k)))
                .toList();
    }

    private ChatOutcome answer(long[] prompt, Generation generation) {
        return new ChatOutcome.Answer(
                chat.tokenizer().decode(generation.withoutEndToken()),
                generation.finish() == FinishReason.LENGTH ? "length" : "stop",
                prompt.length,
                generation.ids().length);
    }

    /** Encodes the request in the model's template; its text cannot become control tokens. */
    private long[] prompt(ChatRequest request) {
        List<ChatMessage> messages = request.turns().stream()
                .map(turn -> new ChatMessage(
                        request.id(),
                        ChatMessage.Role.valueOf(turn.role().toUpperCase(Locale.ROOT)),
                        TextNode.valueOf(turn.text()),
                        null,
                        List.of(),
                        null))
                .toList();
        return chat.tokenizer().encode(chat.template().render(new Conversation(messages, List.of(), true, false)));
    }

    @Override
    public void close() {
        decoder.close();
        chat.close();
    }
}
