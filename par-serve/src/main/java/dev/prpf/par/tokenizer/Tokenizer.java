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
 * A Hugging Face tokenizer, never truncating, never padding, adding no tokens of its own. Plain text is encoded by a twin in which the
 * control tokens do not exist, so that nobody can forge them. Safe for use by several threads.
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
     * Reads {@code tokenizer.json}.
     *
     * @param place the file, or the model directory that holds it
     * @throws PrpfException 69 if there is none, 65 if it cannot be used
     */
    public static Tokenizer load(Path place) {
        Path file = Files.isDirectory(place) ? place.resolve(TokenizerFiles.TOKENIZER) : place;
        if (!Files.isRegularFile(file)) {
            throw new UnavailableException(file + ": there is no tokenizer; put the model's tokenizer.json there");
        }
        try {
            JsonNode json = JSON.readTree(file.toFile());
            if (!(json instanceof ObjectNode object)) {
                throw new InvalidDataException(file + ": is no JSON object");
            }
            return new Tokenizer(file, object);
        } catch (IOException | RuntimeException e) {
            if (e instanceof PrpfException known) {
                throw known;
            }
            throw new InvalidDataException(file + ": cannot be read as a tokenizer: " + e.getMessage(), e);
        }
    }

    /** SHA-256 of tokenizer.json. */
    public String sha256() {
        return sha256;
    }

    /** Ids of pieces, one after the other. */
    public long[] encode(List<Piece> pieces) {
        return pieces.stream()
                .flatMapToLong(piece -> LongStream.of(ids(piece.control() ? whole : plain, piece.text())))
                .toArray();
    }

    /** Ids of a text in which no control token is recognised. */
    public long[] encodePlain(String text) {
        return ids(plain, text);
    }

    /**
     * Ids of a text that begins a sequence: behind the tokens that the file's post-processor puts before every text, such as Llama's {@code
     * <|begin_of_text|>}. Most have none. No control token is recognised in the text.
     */
    public long[] encodeFirst(String text) {
        return LongStream.concat(LongStream.of(beginning()), LongStream.of(encodePlain(text)))
                .toArray();
    }

    /** What is added to a text and the text, without the text and what is added behind it. */
    private long[] beginning() {
        long[] bare = ids(whole, PROBE);
        long[] added = whole.encode(PROBE, true, false).getIds();
        int behind = Collections.indexOfSubList(
                Arrays.asList(ArrayUtils.toObject(added)), Arrays.asList(ArrayUtils.toObject(bare)));
        if (behind >= 0) {
            return Arrays.copyOf(added, behind);
        }
        throw new InvalidDataException(file + ": encodes \"" + PROBE + "\" as " + Arrays.toString(bare)
                + ", and with special tokens as " + Arrays.toString(added) + ", which does not hold it");
    }

    /** Ids of a text in which control tokens are recognised: for templates and for text known to be ours. */
    public long[] encodeControl(String text) {
        return ids(whole, text);
    }

    private static long[] ids(HuggingFaceTokenizer tokenizer, String text) {
        return text.isEmpty()
                ? new long[0]
                : tokenizer.encode(text, false, false).getIds();
    }

    /** Text of ids, control tokens included. */
    public String decode(long[] ids) {
        return ids.length == 0 ? "" : whole.decode(ids, false);
    }

    /** Text of ids, special tokens left out: what a reader is shown. */
    public String decodeText(long[] ids) {
        return ids.length == 0 ? "" : whole.decode(ids, true);
    }

    /** Control tokens and their ids, in the file's order. */
    public Map<String, Long> controlTokens() {
        return control;
    }

    /**
     * The id of one control token.
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
     * What each token writes: those of the vocabulary, added words, and of the control tokens only the ones named.
     *
     * @throws PrpfException 65 if this is no byte-level BPE
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
