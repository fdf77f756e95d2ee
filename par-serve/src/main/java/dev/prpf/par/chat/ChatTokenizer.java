package dev.prpf.par.chat;

import dev.prpf.par.tokenizer.Piece;
import dev.prpf.par.tokenizer.Tokenizer;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * A model's tokenizer with the chat template that its prompts are written in.
 *
 * @param tokenizer closed with it
 */
public record ChatTokenizer(Tokenizer tokenizer, ChatTemplate template) implements AutoCloseable {
    /** The ids of a prompt ({@link ChatTemplate#prompt}). */
    public long[] prompt(@Nullable String system, List<Piece> user) {
        return tokenizer.encode(template.prompt(system, user));
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
