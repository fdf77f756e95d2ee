package dev.prpf.spark;

import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.prompt.PromptProvenance;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Tokenizers of this process, shared by all tasks of the executor; each is loaded once and never closed. */
final class ExecutorTokenizer {
    private static final Map<String, ChatTokenizer> LOADED = new HashMap<>();

    private ExecutorTokenizer() {}

    /**
     * Returns the tokenizer of a model.
     *
     * @param model its folder, visible to every executor
     * @throws dev.prpf.base.error.PrpfException 69 if the folder is missing; 65 if its tokenizer or chat template cannot be used
     */
    static synchronized ChatTokenizer of(String model) {
        return LOADED.computeIfAbsent(model, folder -> PromptProvenance.tokenizer(Path.of(folder)));
    }
}
