package dev.prpf.par.tokenizer;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.par.tokenizer.BpeTraining.BpeVocabulary;
import java.nio.file.Path;
import java.util.List;

/** Writes a trained vocabulary as {@code tokenizer.json} and {@code tokenizer_config.json} for the Hugging Face libraries. */
public final class TokenizerFiles {
    public static final String TOKENIZER = "tokenizer.json";
    public static final String CONFIG = "tokenizer_config.json";

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String BYTE_LEVEL =
            """
            {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": false, "use_regex": false}""";

    /** Common content of all tokenizers made here. */
    private static final String SKELETON =
            """
            {"version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
             "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
               {"type": "Split", "pattern": {"Regex": ""}, "behavior": "Isolated", "invert": false}, %1$s]},
             "post_processor": %1$s, "decoder": %1$s,
             "model": {"type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null,
               "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false, "ignore_merges": false,
               "vocab": {}, "merges": []}}"""
                    .formatted(BYTE_LEVEL);

    private static final String CONFIG_SKELETON =
            """
            {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 0, "clean_up_tokenization_spaces": false,
             "add_prefix_space": false, "eos_token": "", "pad_token": "", "chat_template": "", "bos_token": null,
             "unk_token": null}""";

    private TokenizerFiles() {}

    /**
     * Writes both files of a tokenizer.
     *
     * @param chatTemplate Jinja, for other programs
     * @param end the token that ends a turn
     * @param padding the token that fills batches
     * @param context maximum length of a sequence, in tokens
     */
    public static void write(
            Path directory, BpeVocabulary vocabulary, String chatTemplate, String end, String padding, int context) {
        write(directory.resolve(TOKENIZER), tokenizer(vocabulary));
        ObjectNode config = object(CONFIG_SKELETON);
        config.put("model_max_length", context).put("eos_token", end).put("pad_token", padding);
        write(directory.resolve(CONFIG), config.put("chat_template", chatTemplate));
    }

    private static ObjectNode tokenizer(BpeVocabulary vocabulary) {
        ObjectNode root = object(SKELETON);
        ArrayNode added = root.withArrayProperty("added_tokens");
        int id = vocabulary.tokens().size();
        for (String word : vocabulary.words()) {
            added.add(added(id++, word, false));
        }
        for (BpeVocabulary.ControlToken token : vocabulary.control()) {
            added.add(added(id++, token.text(), token.special()));
        }
        root.withObject("/pre_tokenizer/pretokenizers/0/pattern").put("Regex", BpeTraining.REGEX);
        ObjectNode ids = root.withObject("/model/vocab");
        for (int i = 0; i < vocabulary.tokens().size(); i++) {
            ids.put(vocabulary.tokens().get(i), i);
        }
        vocabulary.merges().forEach(root.withArray("/model/merges")::add);
        return root;
    }

    private static ObjectNode added(int id, String content, boolean special) {
        ObjectNode token = JSON.createObjectNode().put("id", id).put("content", content);
        List.of("single_word", "lstrip", "rstrip", "normalized").forEach(key -> token.put(key, false));
        return token.put("special", special);
    }

    private static ObjectNode object(String text) {
        try {
            return (ObjectNode) JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void write(Path file, ObjectNode node) {
        AtomicFiles.writeText(file, node.toPrettyString() + "\n");
    }
}
