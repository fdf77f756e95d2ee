package dev.prpf.par.command;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UnavailableException;
import dev.prpf.par.tokenizer.Tokenizer;
import dev.prpf.par.tokenizer.TokenizerFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Text and tokens of a model directory, whose {@code tokenizer.json} may be missing as long as no text has to be read. */
final class ModelText implements AutoCloseable {
    private final Path directory;
    private final @Nullable Tokenizer tokenizer;

    private ModelText(Path directory, @Nullable Tokenizer tokenizer) {
        this.directory = directory;
        this.tokenizer = tokenizer;
    }

    static ModelText of(Path directory) {
        boolean there = Files.isRegularFile(directory.resolve(TokenizerFiles.TOKENIZER));
        return new ModelText(directory, there ? Tokenizer.load(directory) : null);
    }

    /**
     * The tokenizer.
     *
     * @param option what needs it
     * @throws PrpfException 69 if there is none
     */
    Tokenizer requiredFor(String option) {
        if (tokenizer == null) {
            throw new UnavailableException(directory + ": there is no " + TokenizerFiles.TOKENIZER + " here, so "
                    + option + " cannot be read; put the model's there, or give tokens with --ids and go without it");
        }
        return tokenizer;
    }

    /** The text of the tokens, special tokens left out; null without a tokenizer. */
    @Nullable
    String decodeOrNull(long[] ids) {
        return tokenizer == null ? null : tokenizer.decodeText(ids);
    }

    @Override
    public void close() {
        if (tokenizer != null) {
            tokenizer.close();
        }
    }
}
