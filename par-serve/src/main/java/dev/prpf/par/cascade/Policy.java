package dev.prpf.par.cascade;

import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.prompt.PromptProvenance;
import dev.prpf.par.tokenizer.Tokenizer;
import java.nio.file.Path;

/** A trained model, with the prompts that it reads and its tokenizer, which is closed with it. */
public record Policy(HuggingFaceDirectory directory, PromptProvenance provenance, ChatTokenizer chat)
        implements AutoCloseable {
    /**
     * Opens a model's directory.
     *
     * @throws dev.prpf.base.error.PrpfException 65 if the directory does not say which prompts the model reads; 78 for another tokenizer
     *     or chat template than it was trained with
     */
    public static Policy open(Path model) {
        PromptProvenance provenance = PromptProvenance.read(model);
        Policy policy = new Policy(HuggingFaceDirectory.open(model), provenance, PromptProvenance.tokenizer(model));
        try {
            provenance.requireTokenizer(policy.chat, model);
            return policy;
        } catch (RuntimeException e) {
            policy.close();
            throw e;
        }
    }

    /** Without the chat template: for what is no prompt. */
    public Tokenizer tokenizer() {
        return chat.tokenizer();
    }

    @Override
    public void close() {
        chat.close();
    }
}
