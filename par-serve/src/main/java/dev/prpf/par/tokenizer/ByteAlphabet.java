package dev.prpf.par.tokenizer;

import java.nio.charset.StandardCharsets;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** GPT-2's reversible map from bytes to printable characters, the alphabet of byte-level tokens. */
final class ByteAlphabet {
    static final int SIZE = 256;

    /** The character of each byte, indexed by the byte. */
    private static final String CHARACTERS;

    static {
        StringBuilder characters = new StringBuilder();
        char next = 256;
        for (int b = 0; b < SIZE; b++) {
            boolean printable = (b >= '!' && b <= '~') || (b >= 0xA1 && b <= 0xAC) || (b >= 0xAE && b <= 0xFF);
            characters.append(printable ? (char) b : next++);
        }
        CHARACTERS = characters.toString();
    }

    private ByteAlphabet() {}

    static char of(int unsignedByte) {
        return CHARACTERS.charAt(unsignedByte);
    }

    /** Returns the bytes of a token, or null if a character is not in the alphabet. */
    static byte @Nullable [] bytes(String token) {
        byte[] bytes = new byte[token.length()];
        for (int i = 0; i < bytes.length; i++) {
            int b = CHARACTERS.indexOf(token.charAt(i));
            if (b < 0) {
                return null;
            }
            bytes[i] = (byte) b;
        }
        return bytes;
    }

    /** Returns the text's UTF-8 bytes as symbol ids 0 to 255. */
    static int[] symbols(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return IntStream.range(0, bytes.length).map(i -> bytes[i] & 0xFF).toArray();
    }

    /**
     * Returns whether the byte-level decoder would decode this added token to other text: all characters are in the alphabet, and some encode
     * a different byte.
     */
    static boolean ambiguous(String token) {
        boolean inAlphabet =
                token.chars().allMatch(c -> c < 256 + 68 && !(c <= ' ' || (c >= 0x7F && c <= 0xA0) || c == 0xAD));
        return inAlphabet && token.chars().anyMatch(c -> c > '~');
    }
}
