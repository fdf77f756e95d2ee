package dev.prpf.par.tokenizer;

import ai.djl.huggingface.tokenizers.HuggingFaceTokenizer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.files.AtomicFiles;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.commons.lang3.ArrayUtils;
import org.jspecify.annotations.Nullable;

/**
 * A Hugging Face tokenizer without truncation, padding or automatic special tokens. A second instance without control tokens encodes plain
 * text, so that text cannot forge them. Thread-safe.
 */
public final class Tokenizer implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String PROBE = "a";
    private static final Map<String, String> OPTIONS =
            Map.of("addSpecialTokens", "false", "truncation", "false", "padding", "false");

    private final Path file;
    private final String sha256;
    private final HuggingFaceTokenizer whole;
    private final HuggingFaceTokenizer plain;
    private final Map<String, Long> control;

    private Tokenizer(Path file, ObjectNode json) throws IOException {
        this.file = file;
        this.sha256 = AtomicFiles.sha256(file);
        json.putNull("truncation");
        json.putNull("padding");
        this.whole = HuggingFaceTokenizer.newInstance(new ByteArrayInputStream(JSON.writeValueAsBytes(json)), OPTIONS);
        this.control = Collections.unmodifiableMap(HiddenControl.in(json));
        this.plain = HuggingFaceTokenizer.newInstance(new ByteArrayInputStream(JSON.writeValueAsBytes(json)), OPTIONS);
    }

    /**
     * Reads a tokenizer from {@code tokenizer.json}.
     *
     * @param place the file, or its model directory
     * @throws PrpfException 69 if the file is missing, 65 if it cannot be used
     */
    public static Tokenizer load(Path place) {
        Path file = Files.isDirectory(place) ? place.resolve(TokenizerFiles.TOKENIZER) : place;
        if (!Files.isRegularFile(file)) {
            throw new UnavailableException(file + ": the tokenizer is missing; put the model's tokenizer.json there");
        }
        try {
            JsonNode json = JSON.readTree(file.toFile());
            if (!(json instanceof ObjectNode object)) {
                throw new InvalidDataException(file + ": is not a JSON object");
            }
            return new Tokenizer(file, object);
        } catch (IOException | RuntimeException e) {
            if (e instanceof PrpfException known) {
                throw known;
            }
            throw new InvalidDataException(file + ": cannot be read as a tokenizer: " + e.getMessage(), e);
        }
    }

    /** Returns the SHA-256 of tokenizer.json. */
    public String sha256() {
        return sha256;
    }

    /** Returns the concatenated ids of pieces. */
    public long[] encode(List<Piece> pieces) {
        return pieces.stream()
                .flatMapToLong(piece -> LongStream.of(ids(piece.control() ? whole : plain, piece.text())))
                .toArray();
    }

    /** Encodes a text without recognising control tokens. */
    public long[] encodePlain(String text) {
        return ids(plain, text);
    }

    /**
     * Encodes a text at the start of a sequence, after the tokens that the post-processor prepends, such as Llama's {@code
     * <|begin_of_text|>}, if any. Control tokens in the text are not recognised.
     */
    public long[] encodeFirst(String text) {
        return LongStream.concat(LongStream.of(beginning()), LongStream.of(encodePlain(text)))
                .toArray();
    }

    /** Returns the tokens that the post-processor prepends to a text. */
    private long[] beginning() {
        long[] bare = ids(whole, PROBE);
        long[] added = whole.encode(PROBE, true, false).getIds();
        int start = Collections.indexOfSubList(
                Arrays.asList(ArrayUtils.toObject(added)), Arrays.asList(ArrayUtils.toObject(bare)));
        if (start >= 0) {
            return Arrays.copyOf(added, start);
        }
        throw new InvalidDataException(file + ": encodes \"" + PROBE + "\" as " + Arrays.toString(bare)
                + ", and with special tokens as " + Arrays.toString(added) + ", which does not hold it");
    }

    /** Encodes a text with control tokens recognised: only for templates and trusted text. */
    public long[] encodeControl(String text) {
        return ids(whole, text);
    }

    private static long[] ids(HuggingFaceTokenizer tokenizer, String text) {
        return text.isEmpty()
                ? new long[0]
                : tokenizer.encode(text, false, false).getIds();
    }

    /** Decodes ids, including control tokens. */
    public String decode(long[] ids) {
        return ids.length == 0 ? "" : whole.decode(ids, false);
    }

    /** Decodes ids without special tokens, for display. */
    public String decodeText(long[] ids) {
        return ids.length == 0 ? "" : whole.decode(ids, true);
    }

    /** Returns the control tokens and their ids, in the file's order. */
    public Map<String, Long> controlTokens() {
        return control;
    }

    /**
     * Returns the id of one control token.
     *
     * @throws PrpfException 65 if the tokenizer does not have it
     */
    public long controlToken(String token) {
        Long id = control.get(token);
        if (id == null) {
            throw new InvalidDataException(file + ": has no token " + token + "; it has " + control.keySet());
        }
        return id;
    }

    /**
     * Returns the bytes of each token of the vocabulary, of added words, and of the named control tokens.
     *
     * @throws PrpfException 65 if this is not a byte-level BPE
     */
    public List<WrittenToken> writtenTokens(Set<String> writtenControl) {
        try {
            return WrittenToken.read(file, JSON.readTree(file.toFile()), writtenControl);
        } catch (IOException e) {
            throw new InvalidDataException(file + ": cannot be read as a tokenizer: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        whole.close();
        plain.close();
    }

    /**
     * A token and the bytes that it writes.
     *
     * @param id in the vocabulary
     * @param bytes UTF-8, possibly partial characters; never empty
     */
    public record WrittenToken(int id, byte[] bytes) {
        /** Reads all tokens of a byte-level BPE that can occur in text, and the named control tokens; throws 65 for another tokenizer. */
        static List<WrittenToken> read(Path file, JsonNode json, Set<String> control) {
            requireByteLevel(file, json);
            List<WrittenToken> tokens = new ArrayList<>();
            Set<Integer> added = new HashSet<>();
            for (JsonNode token : json.path("added_tokens")) {
                int id = token.path("id").asInt();
                added.add(id);
                String content = token.path("content").asText();
                boolean steers = token.path("special").asBoolean() || HiddenControl.hasControlShape(content);
                boolean written = steers ? control.contains(content) : !ByteAlphabet.ambiguous(content);
                if (written && !content.isEmpty()) {
                    tokens.add(new WrittenToken(id, content.getBytes(StandardCharsets.UTF_8)));
                }
            }
            for (Map.Entry<String, JsonNode> entry :
                    json.path("model").path("vocab").properties()) {
                byte[] bytes = ByteAlphabet.bytes(entry.getKey());
                int id = entry.getValue().asInt();
                if (bytes != null && bytes.length > 0 && !added.contains(id)) {
                    tokens.add(new WrittenToken(id, bytes));
                }
            }
            return tokens;
        }

        private static void requireByteLevel(Path file, JsonNode json) {
            String model = json.path("model").path("type").asText();
            if (!model.equals("BPE") || !isByteLevel(json.path("decoder"))) {
                throw new InvalidDataException(file + ": is not a byte-level BPE (model \"" + model + "\", decoder \""
                        + json.path("decoder").path("type").asText()
                        + "\"), so the bytes of tokens are unknown; constrained decoding needs one");
            }
        }

        private static boolean isByteLevel(JsonNode decoder) {
            return decoder.path("type").asText().equals("ByteLevel")
                    || decoder.path("decoders").valueStream().anyMatch(WrittenToken::isByteLevel);
        }
    }

    /** GPT-2's reversible map from bytes to printable characters, the alphabet of byte-level tokens. */
    static final class ByteAlphabet {
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
}
