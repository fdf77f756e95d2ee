package dev.prpf.par.tokenizer;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.files.AtomicFiles;
import java.nio.file.Path;

/** A trained vocabulary as {@code tokenizer.json} and {@code tokenizer_config.json}, which the Hugging Face libraries load as they are. */
public final class TokenizerFiles {
    public static final String TOKENIZER = "tokenizer.json";
    public static final String CONFIG = "tokenizer_config.json";

    private static final ObjectMapper JSON = new ObjectMapper();

    private TokenizerFiles() {}

    /**
     * Writes both files.
     *
     * @param chatTemplate Jinja, for other programs
     * @param end the token that ends a turn
     * @param padding the token that fills batches
     * @param context longest sequence in tokens
     */
    public static void write(
            Path directory, BpeVocabulary vocabulary, String chatTemplate, String end, String padding, int context) {
        AtomicFiles.writeText(directory.resolve(TOKENIZER), text(tokenizer(vocabulary)));
        ObjectNode config = JSON.createObjectNode()
                .put("tokenizer_class", "PreTrainedTokenizerFast")
                .put("model_max_length", context)
                .put("clean_up_tokenization_spaces", false)
                .put("add_prefix_space", false)
                .put("eos_token", end)
                .put("pad_token", padding)
                .put("chat_template", chatTemplate);
        config.putNull("bos_token");
        config.putNull("unk_token");
        AtomicFiles.writeText(directory.resolve(CONFIG), text(config));
    }

    private static ObjectNode tokenizer(BpeVocabulary vocabulary) {
        ObjectNode root = JSON.createObjectNode().put("version", "1.0");
        root.putNull("truncation");
        root.putNull("padding");
        ArrayNode added = root.putArray("added_tokens");
        int id = vocabulary.tokens().size();
        for (String word : vocabulary.words()) {
            added.add(added(id++, word, false));
        }
        for (BpeVocabulary.ControlToken token : vocabulary.control()) {
            added.add(added(id++, token.text(), token.special()));
        }
        root.putNull("normalizer");
        root.set("pre_tokenizer", preTokenizer());
        root.set("post_processor", byteLevel());
        root.set("decoder", byteLevel());
        root.set("model", model(vocabulary));
        return root;
    }

    private static ObjectNode added(int id, String content, boolean special) {
        return JSON.createObjectNode()
                .put("id", id)
                .put("content", content)
                .put("single_word", false)
                .put("lstrip", false)
                .put("rstrip", false)
                .put("normalized", false)
                .put("special", special);
    }

    private static ObjectNode preTokenizer() {
        ObjectNode sequence = JSON.createObjectNode().put("type", "Sequence");
        ArrayNode steps = sequence.putArray("pretokenizers");
        ObjectNode split = steps.addObject().put("type", "Split");
        split.putObject("pattern").put("Regex", PreTokenization.REGEX);
        split.put("behavior", "Isolated").put("invert", false);
        steps.add(byteLevel());
        return sequence;
    }

    private static ObjectNode byteLevel() {
        return JSON.createObjectNode()
                .put("type", "ByteLevel")
                .put("add_prefix_space", false)
                .put("trim_offsets", false)
                .put("use_regex", false);
    }

    private static ObjectNode model(BpeVocabulary vocabulary) {
        ObjectNode model = JSON.createObjectNode().put("type", "BPE");
        model.putNull("dropout");
        model.putNull("unk_token");
        model.putNull("continuing_subword_prefix");
        model.putNull("end_of_word_suffix");
        model.put("fuse_unk", false).put("byte_fallback", false).put("ignore_merges", false);
        ObjectNode ids = model.putObject("vocab");
        for (int i = 0; i < vocabulary.tokens().size(); i++) {
            ids.put(vocabulary.tokens().get(i), i);
        }
        ArrayNode merges = model.putArray("merges");
        vocabulary.merges().forEach(merges::add);
        return model;
    }

    private static String text(ObjectNode node) {
        try {
            return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(node) + "\n";
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }
}
