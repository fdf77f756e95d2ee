package dev.prpf.par.chat;

import dev.prpf.base.error.PrpfException;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.par.tokenizer.Piece;
import dev.prpf.par.tokenizer.Tokenizer;
import dev.prpf.par.vision.PromptImageReader;
import dev.prpf.par.vision.VisualPrompt;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * A model's tokenizer with its chat template.
 *
 * @param tokenizer closed with this
 * @param images creates the tokens of a prompt's images; the caller closes its encoder
 */
public record ChatTokenizer(Tokenizer tokenizer, ChatTemplate template, PromptImageReader images)
        implements AutoCloseable {
    /** Creates the tokenizer of a text model. */
    public ChatTokenizer(Tokenizer tokenizer, ChatTemplate template) {
        this(tokenizer, template, PromptImageReader.BLIND);
    }

    /** Returns this tokenizer with a vision encoder; close only one of both. */
    public ChatTokenizer seeing(PromptImageReader reader) {
        return new ChatTokenizer(tokenizer, template, reader);
    }

    /** Returns the ids of a prompt ({@link ChatTemplate#prompt}). */
    public long[] prompt(@Nullable String system, List<Piece> user) {
        return tokenizer.encode(template.prompt(system, user));
    }

    /**
     * Returns a prompt that may have images.
     *
     * @param shown the screenshots for the user turn's placeholders, in order; ignored without placeholders
     * @param owner id of their sample, for messages
     * @throws PrpfException as {@link PromptImageReader#prompt}; 65 if the numbers of placeholders and screenshots differ
     */
    public VisualPrompt prompt(
            @Nullable String system, List<Piece> user, List<TraceStep.Screenshot> shown, String owner) {
        return images.prompt(prompt(system, user), Piece.images(user) == 0 ? List.of() : shown, owner);
    }

    /** Returns the ids of a response, followed by the end of the turn. */
    public long[] response(List<Piece> response) {
        return LongStream.concat(LongStream.of(tokenizer.encode(response)), LongStream.of(endOfTurn()))
                .toArray();
    }

    /**
     * Returns the id of the token that ends a response.
     *
     * @throws dev.prpf.base.error.PrpfException 65 if the tokenizer does not have it
     */
    public long endOfTurn() {
        return tokenizer.controlToken(template.turnEnd());
    }

    @Override
    public void close() {
        tokenizer.close();
    }
}
