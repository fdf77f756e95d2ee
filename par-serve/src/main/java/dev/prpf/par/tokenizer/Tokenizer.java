package dev.prpf.par.tokenizer;

import ai.djl.huggingface.tokenizers.HuggingFaceTokenizer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UnavailableException;
import dev.prpf.base.files.AtomicFiles;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import org.apache.commons.lang3.ArrayUtils;

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
}
