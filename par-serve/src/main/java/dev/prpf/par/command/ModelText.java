package dev.prpf.par.command;

import ai.djl.huggingface.tokenizers.HuggingFaceTokenizer;
import dev.prpf.data.run.ExitCode;
import dev.prpf.data.run.PrpfException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Text and tokens of a model directory, whose {@code tokenizer.json} may be missing as long as no text has to be read. */
final class ModelText implements AutoCloseable {
    private final Path directory;
    private final @Nullable HuggingFaceTokenizer tokenizer;

    private ModelText(Path directory, @Nullable HuggingFaceTokenizer tokenizer) {
        this.directory = directory;
        this.tokenizer = tokenizer;
    }

    static ModelText of(Path directory) {
        Path file = directory.resolve("tokenizer.json");
        if (!Files.isRegularFile(file)) {
            return new ModelText(directory, null);
        }
        try {
            return new ModelText(
                    directory,
                    HuggingFaceTokenizer.builder()
                            .optTokenizerPath(file)
                            .optAddSpecialTokens(false)
                            .optTruncation(false)
                            .optPadding(false)
                            .build());
        } catch (IOException | RuntimeException e) {
            throw new PrpfException(ExitCode.BAD_DATA, file + ": cannot be read as a tokenizer: " + e.getMessage(), e);
        }
    }

    long[] encode(String text) {
        if (tokenizer == null) {
            throw PrpfException.unavailable(directory
                    + ": there is no tokenizer.json here, so --prompt cannot be read; give tokens with --ids");
        }
        return tokenizer.encode(text).getIds();
    }

    /** The text of the tokens, special tokens left out; null without a tokenizer. */
    @Nullable
    String decodeOrNull(long[] ids) {
        return tokenizer == null ? null : tokenizer.decode(ids, true);
    }

    @Override
    public void close() {
        if (tokenizer != null) {
            tokenizer.close();
        }
    }
}
