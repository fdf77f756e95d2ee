package dev.prpf.par.serve.openai;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.par.tokenizer.Tokenizer;
import dev.prpf.par.tokenizer.Tokenizer.WrittenToken;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Converts single tokens to their texts and bytes, for log-probabilities and token ids in answers. Thread-safe. */
final class TokenTexts {
    private final Tokenizer tokenizer;
    private final Map<Long, byte[]> written = new HashMap<>();

    TokenTexts(Tokenizer tokenizer) {
        this.tokenizer = tokenizer;
        try {
            for (WrittenToken token :
                    tokenizer.writtenTokens(tokenizer.controlTokens().keySet())) {
                written.put((long) token.id(), token.bytes());
            }
        } catch (InvalidDataException e) {
            // no byte-level BPE: the bytes of a token are unknown, so answers contain null
            written.clear();
        }
    }

    /** Returns the token as {@code token_id:N}. */
    static String asId(long id) {
        return "token_id:" + id;
    }

    /** Returns the token's text, special or not; U+FFFD for an incomplete character. */
    String text(long id) {
        return tokenizer.decode(new long[] {id});
    }

    /** Returns the token's bytes; null if the tokenizer is not byte-level. */
    int @Nullable [] bytes(long id) {
        byte[] bytes = written.get(id);
        if (bytes == null) {
            return null;
        }
        return IntStream.range(0, bytes.length)
                .map(i -> Byte.toUnsignedInt(bytes[i]))
                .toArray();
    }

    /** Returns the token's text, or {@code bytes:\xe5\xa5} for bytes that are no text by themselves, as in OpenAI's completions. */
    String distinct(long id) {
        byte[] bytes = written.get(id);
        if (bytes == null) {
            return text(id);
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            StringBuilder hex = new StringBuilder("bytes:");
            for (byte b : bytes) {
                hex.append("\\x").append(HexFormat.of().toHexDigits(b));
            }
            return hex.toString();
        }
    }
}
