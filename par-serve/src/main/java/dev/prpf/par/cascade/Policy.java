package dev.prpf.par.cascade;

import dev.prpf.base.error.Closing;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.prompt.PromptProvenance;
import dev.prpf.par.tokenizer.Tokenizer;
import dev.prpf.par.vision.PictureReader;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A trained model, with the prompts that it reads and its tokenizer, which is closed with it.
 *
 * @param sight what it sees screenshots with, closed with it; null where prompts show none or nothing was opened to see with
 */
public record Policy(
        HuggingFaceDirectory directory, PromptProvenance provenance, ChatTokenizer chat, @Nullable Sight sight)
        implements AutoCloseable {
    /**
     * Opens a model's directory.
     *
     * @throws dev.prpf.base.error.PrpfException 65 if the directory does not say which prompts the model reads; 78 for another tokenizer
     *     or chat template than it was trained with
     */
    public static Policy open(Path model) {
        PromptProvenance provenance = PromptProvenance.read(model);
        return Closing.ifRefused(
                new Policy(HuggingFaceDirectory.open(model), provenance, PromptProvenance.tokenizer(model), null),
                policy -> {
                    provenance.requireTokenizer(policy.chat, model);
                    return policy;
                });
    }

    /**
     * The same, seeing, where its prompts show pictures; to be closed in this one's place. This one is closed if it cannot see.
     *
     * @param images where screenshots lie
     * @throws dev.prpf.base.error.PrpfException as {@link Sight#open}
     */
    public Policy seeing(ImageFolder images, Precision precision, @Nullable Path store) {
        if (!provenance.prompt().screenshots().pictured()) {
            return this;
        }
        return Closing.ifRefused(this, policy -> {
            Sight opened = Sight.open(directory, precision, store);
            PictureReader reader = opened.reader(opened.encoder(), images, provenance.prompt());
            return new Policy(directory, provenance, chat.seeing(reader), opened);
        });
    }

    /** Without the chat template: for what is no prompt. */
    public Tokenizer tokenizer() {
        return chat.tokenizer();
    }

    @Override
    public void close() {
        if (sight != null) {
            sight.close();
        }
        chat.close();
    }
}
