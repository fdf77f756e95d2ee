package dev.prpf.par.cascade;

import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.prompt.PromptProvenance;
import dev.prpf.par.tokenizer.Tokenizer;
import java.nio.file.Path;

/** A trained model, with the prompts that it reads and its tokenizer, which is closed with it. */
public record Policy(HuggingFaceDirectory directory, PromptProvenance provenance, Tokenizer tokenizer)
        implements AutoCloseable {
    /**
     * Opens a model's directory.
     *
     * @throws dev.prpf.base.error.PrpfException 65 if the directory does not say which prompts the model reads; 78 for another tokenizer
     *     than it was trained with
     */
    public static Policy open(Path model) {
        PromptProvenance provenance = PromptProvenance.read(model);
        Policy policy = new Policy(HuggingFaceDirectory.open(model), provenance, Tokenizer.load(model));
        try {
            provenance.requireTokenizer(policy.tokenizer.sha256(), model);
            return policy;
        } catch (RuntimeException e) {
            policy.close();
            throw e;
        }
    }

    @Override
    public void close() {
        tokenizer.close();
    }
}
