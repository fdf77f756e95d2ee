package dev.prpf.par.chat;

import dev.prpf.base.error.PrpfException;
import dev.prpf.data.TraceStep;
import dev.prpf.par.tokenizer.Piece;
import dev.prpf.par.tokenizer.Tokenizer;
import dev.prpf.par.vision.PictureReader;
import dev.prpf.par.vision.VisualPrompt;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * A model's tokenizer with the chat template that its prompts are written in.
 *
 * @param tokenizer closed with it
 * @param pictures makes the tokens of the pictures that prompts show; its encoder stays the caller's
 */
public record ChatTokenizer(Tokenizer tokenizer, ChatTemplate template, PictureReader pictures)
        implements AutoCloseable {
    /** Of a model that does not see. */
    public ChatTokenizer(Tokenizer tokenizer, ChatTemplate template) {
        this(tokenizer, template, PictureReader.BLIND);
    }

    /** The same, seeing; to be closed once. */
    public ChatTokenizer seeing(PictureReader reader) {
        return new ChatTokenizer(tokenizer, template, reader);
    }

    /** The ids of a prompt ({@link ChatTemplate#prompt}). */
    public long[] prompt(@Nullable String system, List<Piece> user) {
        return tokenizer.encode(template.prompt(system, user));
    }

    /**
     * A prompt that may show pictures.
     *
     * @param shown the screenshots that the user turn has places for, in order; of a turn without such places they are left out
     * @param owner the sample that they belong to, for messages
     * @throws PrpfException as {@link PictureReader#prompt}; 65 if there are more places than screenshots, or the reverse
     */
    public VisualPrompt prompt(
            @Nullable String system, List<Piece> user, List<TraceStep.Screenshot> shown, String owner) {
        return pictures.prompt(prompt(system, user), Piece.pictures(user) == 0 ? List.of() : shown, owner);
    }

    /** The ids of a response and of the turn's end behind it. */
    public long[] response(List<Piece> response) {
        return LongStream.concat(LongStream.of(tokenizer.encode(response)), LongStream.of(endOfTurn()))
                .toArray();
    }

    /**
     * The id of the token that ends a response.
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
