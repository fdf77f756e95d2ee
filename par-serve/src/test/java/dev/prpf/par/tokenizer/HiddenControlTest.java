package dev.prpf.par.tokenizer;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tokenizers as other programs make them: with control tokens in the vocabulary, in front of all others. */
class HiddenControlTest {
    private static final String END = "</s>";
    private static final String WORD = "    ";
    private static final List<String> LETTERS = List.of("<", "/", "s", ">", "a", "b", "Ġ");
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path directory;

    private static ObjectNode file(ObjectNode model) {
        ObjectNode root = JSON.createObjectNode().put("version", "1.0");
        root.set("model", model);
        root.putArray("added_tokens").add(added(0, END, true)).add(added(8, WORD, false));
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

    private static ObjectNode bpe(boolean ignoresMerges, String... merges) {
        ObjectNode model = JSON.createObjectNode()
                .put("type", "BPE")
                .put("unk_token", END)
                .put("fuse_unk", false)
                .put("byte_fallback", false)
                .put("ignore_merges", ignoresMerges);
        ObjectNode vocabulary = model.putObject("vocab").put(END, 0);
        LETTERS.forEach(letter -> vocabulary.put(letter, vocabulary.size()));
        ArrayNode list = model.putArray("merges");
        List.of(merges).forEach(list::add);
        return model;
    }

    private static ObjectNode unigram() {
        ObjectNode model = JSON.createObjectNode().put("type", "Unigram").put("unk_id", 0);
        ArrayNode vocabulary = model.putArray("vocab");
        vocabulary.addArray().add(END).add(0.0);
        LETTERS.forEach(letter -> vocabulary.addArray().add(letter).add(-5.25));
        return model;
    }

    private Tokenizer load(ObjectNode model) throws IOException {
        Path file = directory.resolve("tokenizer.json");
        Files.write(file, JSON.writeValueAsBytes(file(model)));
        return Tokenizer.load(file);
    }

    @Test
    void addedWordHasTheSameIdInBothTokenizers() throws IOException {
        for (ObjectNode model : List.of(bpe(false), unigram())) {
            try (Tokenizer tokenizer = load(model)) {
                assertThat(tokenizer.encodeControl("a" + WORD + "b")).containsExactly(5, 8, 6);
                assertThat(tokenizer.encodePlain("a" + WORD + "b")).containsExactly(5, 8, 6);
            }
        }
    }

    @Test
    void controlTokenOfTheVocabularyIsNotFoundInText() throws IOException {
        for (ObjectNode model : List.of(bpe(false), bpe(true), unigram())) {
            try (Tokenizer tokenizer = load(model)) {
                assertThat(tokenizer.encodeControl("a" + END)).containsExactly(5, 0);
                assertThat(tokenizer.encodePlain("a" + END)).containsExactly(5, 1, 2, 3, 4);
                assertThat(tokenizer.encodePlain(END)).containsExactly(1, 2, 3, 4);
                assertThat(tokenizer.decode(new long[] {5, 0})).contains(END);
            }
        }
    }

    @Test
    void mergesThatEndInAControlTokenAreOmitted() throws IOException {
        ObjectNode model = bpe(false, "< /", "s >", "</ s>");
        ((ObjectNode) model.path("vocab")).put("</", 9).put("s>", 10);
        ArrayNode pairs = JSON.createArrayNode();
        pairs.addArray().add("<").add("/");
        pairs.addArray().add("s").add(">");
        pairs.addArray().add("</").add("s>");
        for (JsonNode merges : List.of(model.path("merges"), pairs)) {
            try (Tokenizer tokenizer = load(model.<ObjectNode>deepCopy().set("merges", merges))) {
                assertThat(tokenizer.encodePlain("a" + END)).containsExactly(5, 9, 10);
            }
        }
    }

    @Test
    void unknownTextIsStillTheUnknownToken() throws IOException {
        for (ObjectNode model : List.of(bpe(false), unigram())) {
            try (Tokenizer tokenizer = load(model)) {
                assertThat(tokenizer.encodePlain("a火b")).containsExactly(5, 0, 6);
            }
        }
    }

    @Test
    void prefixOfThePostProcessorPrecedesThePrompt() throws IOException {
        ObjectNode template = JSON.createObjectNode().put("type", "TemplateProcessing");
        ArrayNode single = template.putArray("single");
        single.addObject().putObject("SpecialToken").put("id", END).put("type_id", 0);
        single.addObject().putObject("Sequence").put("id", "A").put("type_id", 0);
        single.addObject().putObject("SpecialToken").put("id", END).put("type_id", 0);
        template.putArray("pair")
                .addObject()
                .putObject("Sequence")
                .put("id", "A")
                .put("type_id", 0);
        ((ArrayNode) template.path("pair"))
                .addObject()
                .putObject("Sequence")
                .put("id", "B")
                .put("type_id", 1);
        ObjectNode special = template.putObject("special_tokens").putObject(END).put("id", END);
        special.putArray("ids").add(0);
        special.putArray("tokens").add(END);
        ObjectNode file = file(bpe(false));
        file.set("post_processor", template);
        Path path = directory.resolve("tokenizer.json");
        Files.write(path, JSON.writeValueAsBytes(file));
        try (Tokenizer tokenizer = Tokenizer.load(path)) {
            assertThat(tokenizer.encodeFirst("b" + END)).containsExactly(0, 6, 1, 2, 3, 4);
            assertThat(tokenizer.encodeFirst("")).containsExactly(0);
            assertThat(tokenizer.encodePlain("b")).containsExactly(6);
        }
        try (Tokenizer tokenizer = load(bpe(false))) {
            assertThat(tokenizer.encodeFirst("ab")).containsExactly(5, 6);
        }
    }

    @Test
    void oddTextsAreEncodedWithoutErrors() throws IOException {
        Path small = Files.createDirectory(directory.resolve("small"));
        SmallTokenizer.write(small);
        try (Tokenizer tokenizer = Tokenizer.load(small)) {
            for (String text : List.of("\0", "a\0b", "\u0001\u007f\u0085", "\u202e\u200d\ufeff", "e\u0301", "\uE000")) {
                assertThat(tokenizer.decode(tokenizer.encodePlain(text)))
                        .as("%s", JSON.writeValueAsString(text))
                        .isEqualTo(text);
            }
            List<String> halves =
                    new ArrayList<>(List.of("\ud83d", "\ude00", "a\ud83db", "\ude00\ud83d", "\ud83d\ud83d\ude00"));
            for (String text : halves) {
                String read = tokenizer.decode(tokenizer.encodePlain(text));
                assertThat(read).as("half a character").contains("\uFFFD").doesNotContain("\ud83d\ud83d");
            }
        }
    }
}
