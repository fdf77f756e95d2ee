package dev.prpf.data.encode.text;

import ai.djl.huggingface.tokenizers.Encoding;
import ai.djl.huggingface.tokenizers.HuggingFaceTokenizer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.data.encode.spec.EncoderSpec;
import dev.prpf.data.onnx.ModelFile;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.commons.lang3.ArrayUtils;

/** Splits a text's tokens into windows of the network's size, each with prefix and special tokens. */
final class TextTokenizer implements AutoCloseable {
    private final HuggingFaceTokenizer tokenizer;
    private final String prefix;
    private final int prefixLength;
    private final long[] opening;
    private final long[] closing;
    /** Maximum tokens of the text per window, without prefix and special tokens. */
    private final int room;

    private final ModelFile file;
    private volatile int vocabularySize;

    private TextTokenizer(HuggingFaceTokenizer tokenizer, EncoderSpec.Text text) {
        this.tokenizer = tokenizer;
        this.prefix = text.prefix();
        file = text.tokenizer();
        Encoding framed = tokenizer.encode("a", true, false);
        long[] special = framed.getSpecialTokenMask();
        int front = ArrayUtils.indexOf(special, 0);
        int back = ArrayUtils.lastIndexOf(special, 0) + 1;
        long[] ids = framed.getIds();
        long[] prefixIds = ids(prefix);
        prefixLength = prefixIds.length;
        opening = ArrayUtils.addAll(Arrays.copyOf(ids, front), prefixIds);
        closing = Arrays.copyOfRange(ids, back, ids.length);
        room = text.maxTokens() - opening.length - closing.length;
        if (room < 1) {
            throw new InvalidDataException("max-tokens = " + text.maxTokens() + ": the prefix \"" + prefix
                    + "\" and the special tokens leave no room for a text");
        }
    }

    /** @throws PrpfException 65 if the file is not a tokenizer */
    static TextTokenizer load(EncoderSpec.Text text) {
        ModelFile file = text.tokenizer();
        // Without these options the binding truncates at 512 tokens, and pads short texts if the file says so.
        Map<String, String> options = Map.of("addSpecialTokens", "false", "truncation", "false", "padding", "false");
        try (ByteArrayInputStream json = new ByteArrayInputStream(file.bytes())) {
            return new TextTokenizer(HuggingFaceTokenizer.newInstance(json, options), text);
        } catch (IOException | RuntimeException e) {
            if (e instanceof PrpfException known) {
                throw known;
            }
            throw new InvalidDataException(
                    "model file " + file.name() + " cannot be loaded as a tokenizer: " + e.getMessage(), e);
        }
    }

    private long[] ids(String text) {
        return tokenizer.encode(text, false, false).getIds();
    }

    /** Returns the windows of a text, at least one. Thread-safe. */
    List<long[]> windows(String text) {
        long[] all = ids(prefix + text);
        return cut(Arrays.copyOfRange(all, Math.min(all.length, prefixLength), all.length));
    }

    /** Returns the windows of a text given as ids without the prefix, with or without special tokens. */
    List<long[]> windows(long[] ids) {
        int front = opening.length - prefixLength;
        boolean framed = ids.length >= front + closing.length
                && Arrays.equals(ids, 0, front, opening, 0, front)
                && Arrays.equals(ids, ids.length - closing.length, ids.length, closing, 0, closing.length);
        return cut(framed ? Arrays.copyOfRange(ids, front, ids.length - closing.length) : ids);
    }

    private List<long[]> cut(long[] ids) {
        List<long[]> windows = new ArrayList<>();
        int from = 0;
        do {
            long[] part = ArrayUtils.subarray(ids, from, from + room);
            windows.add(ArrayUtils.addAll(ArrayUtils.addAll(opening, part), closing));
            from += room;
        } while (from < ids.length);
        return windows;
    }

    /** Returns the largest id in the tokenizer's file plus one. */
    int vocabularySize() {
        if (vocabularySize == 0) {
            JsonNode root = json();
            JsonNode vocabulary = root.at("/model/vocab"); // an object with ids, or an array in the order of ids
            IntStream ids = vocabulary.isArray()
                    ? IntStream.of(vocabulary.size() - 1)
                    : vocabulary.valueStream().mapToInt(JsonNode::intValue);
            IntStream added = root.path("added_tokens").valueStream().mapToInt(token -> token.path("id")
                    .intValue());
            vocabularySize = IntStream.concat(ids, added).max().orElse(-1) + 1;
        }
        return vocabularySize;
    }

    private JsonNode json() {
        try {
            return new ObjectMapper().readTree(file.bytes());
        } catch (IOException e) {
            throw new UncheckedIOException("the tokenizer was loaded from this file", e);
        }
    }

    @Override
    public void close() {
        tokenizer.close();
    }
}
