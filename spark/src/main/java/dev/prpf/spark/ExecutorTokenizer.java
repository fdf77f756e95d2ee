package dev.prpf.spark;

import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.prompt.PromptProvenance;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** The tokenizers of this process: each is loaded once, and all tasks of the executor use it until the process ends. */
final class ExecutorTokenizer {
    private static final Map<String, ChatTokenizer> LOADED = new HashMap<>();

    private ExecutorTokenizer() {}

    /**
     * The tokenizer of a model.
     *
     * @param model its folder, there for every executor
     * @throws dev.prpf.base.error.PrpfException 69 if it is not, 65 if its tokenizer or chat template cannot be used
     */
    static synchronized ChatTokenizer of(String model) {
        return LOADED.computeIfAbsent(model, folder -> PromptProvenance.tokenizer(Path.of(folder)));
    }
}
