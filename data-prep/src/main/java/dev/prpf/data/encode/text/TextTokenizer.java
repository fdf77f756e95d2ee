package dev.prpf.data.encode.text;

import ai.djl.huggingface.tokenizers.Encoding;
import ai.djl.huggingface.tokenizers.HuggingFaceTokenizer;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.encode.spec.EncoderSpec;
import dev.prpf.data.onnx.ModelFile;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.commons.lang3.ArrayUtils;

/** A text's tokens in windows that the network takes, each with the prefix and framed by the tokenizer's special tokens. */
final class TextTokenizer implements AutoCloseable {
    private final HuggingFaceTokenizer tokenizer;
    private final String prefix;
    private final int prefixLength;
    private final long[] opening;
    private final long[] closing;
    /** Tokens of the text itself that fit into a window. */
    private final int room;

    private TextTokenizer(HuggingFaceTokenizer tokenizer, EncoderSpec.Text text) {
        this.tokenizer = tokenizer;
        this.prefix = text.prefix();
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

    /** @throws PrpfException 65 if the file is no tokenizer */
    static TextTokenizer load(EncoderSpec.Text text) {
        ModelFile file = text.tokenizer();
        // Without truncation=false the binding silently cuts at 512, and padding fills up short texts where the file
        // asks for it.
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

    /** The windows of a text, at least one; several threads may ask at once. */
    List<long[]> windows(String text) {
        long[] all = ids(prefix + text);
        long[] ids = Arrays.copyOfRange(all, Math.min(all.length, prefixLength), all.length);
        List<long[]> windows = new ArrayList<>();
        int from = 0;
        do {
            long[] part = ArrayUtils.subarray(ids, from, from + room);
            windows.add(ArrayUtils.addAll(ArrayUtils.addAll(opening, part), closing));
            from += room;
        } while (from < ids.length);
        return windows;
    }

    @Override
    public void close() {
        tokenizer.close();
    }
}
