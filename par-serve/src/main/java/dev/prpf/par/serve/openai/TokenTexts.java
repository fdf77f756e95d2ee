package dev.prpf.par.serve.openai;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.par.tokenizer.Tokenizer;
import dev.prpf.par.tokenizer.WrittenToken;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What single tokens are called. For any number of threads. */
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
            // no byte-level BPE: nothing says which bytes a token writes, so answers say null
            written.clear();
        }
    }

    /** Its number in place of a text. */
    static String asId(long id) {
        return "token_id:" + id;
    }

    /** Its text, special or not; what is no whole character is U+FFFD. */
    String text(long id) {
        return tokenizer.decode(new long[] {id});
    }

    /** Its bytes, or null where nobody knows them. */
    int @Nullable [] bytes(long id) {
        byte[] bytes = written.get(id);
        if (bytes == null) {
            return null;
        }
        int[] unsigned = new int[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            unsigned[i] = Byte.toUnsignedInt(bytes[i]);
        }
        return unsigned;
    }

    /** Its text; {@code bytes:\xe5\xa5} where its bytes are no text by themselves, as OpenAI's completions have it, so that tokens stay apart. */
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
