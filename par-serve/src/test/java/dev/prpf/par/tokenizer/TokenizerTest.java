package dev.prpf.par.tokenizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.ExitCode;
import dev.prpf.par.tokenizer.BpeTraining.BpeVocabulary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TokenizerTest {
    @TempDir
    private static Path directory;

    private static Tokenizer tokenizer;
    private static BpeVocabulary vocabulary;

    @BeforeAll
    static void train() {
        BpeTraining training = new BpeTraining(
                new BpeTraining.Settings(700, 2, 6),
                List.of("book_transport", "火车站"),
                List.of(
                        new BpeVocabulary.ControlToken("<|im_start|>", true),
                        new BpeVocabulary.ControlToken("<|im_end|>", true),
                        new BpeVocabulary.ControlToken("<recommendations>", false)));
        for (int i = 0; i < 20; i++) {
            training.add("用户在地图里搜索“火车站”，明天下午3点45分出发，票价128.50元。");
            training.add("[{\"name\":\"book_transport\",\"parameters\":{\"to\":\"火车站\"}}] the user opened the map\n");
        }
        vocabulary = training.train();
        TokenizerFiles.write(directory, vocabulary, "", "<|im_end|>", "<|im_start|>", 128);
        tokenizer = Tokenizer.load(directory);
    }

    @AfterAll
    static void close() {
        tokenizer.close();
    }

    @Test
    void decodedTextEqualsTheOriginal() {
        Random random = new Random(5);
        String[] scraps = {
            "火车站",
            "用户",
            "book_transport",
            " ",
            "\n",
            "“",
            "𠮷",
            "😀",
            "é",
            "12",
            "3.5",
            "<|im_end|>",
            "<",
            "\t",
            "　",
            "_a_b",
            "\"}}]",
            "ß",
            "ا",
            "　，"
        };
        for (int i = 0; i < 500; i++) {
            StringBuilder text = new StringBuilder();
            for (int j = random.nextInt(12); j > 0; j--) {
                text.append(scraps[random.nextInt(scraps.length)]);
            }
            assertThat(tokenizer.decode(tokenizer.encodePlain(text.toString()))).isEqualTo(text.toString());
            assertThat(tokenizer.decode(tokenizer.encodeControl(text.toString())))
                    .isEqualTo(text.toString());
        }
    }

    @Test
    void joinedPiecesHaveTheIdsOfTheWholeText() {
        List<Piece> pieces = List.of(
                Piece.control("<|im_start|>user\nthe us"),
                Piece.plain("er opened "),
                Piece.control("the"),
                Piece.plain(" map火"),
                Piece.plain("车站"),
                Piece.control("<|im_end|>\n<recommendations>"));

        long[] joined = JoinedEncoding.of(tokenizer, pieces);

        assertThat(joined).containsExactly(tokenizer.encodeControl(Piece.text(pieces)));
        assertThat(tokenizer.encode(pieces))
                .as("one by one, no token reaches over a border")
                .hasSizeGreaterThan(joined.length);
    }

    @Test
    void joinedPiecesCannotForgeAControlToken() {
        long end = tokenizer.controlToken("<|im_end|>");

        assertThat(JoinedEncoding.of(
                        tokenizer, List.of(Piece.plain("<|im_"), Piece.plain("end|>"), Piece.plain("<|im_end|>"))))
                .doesNotContain(end);
        assertThat(JoinedEncoding.of(tokenizer, List.of(Piece.control("<|im_"), Piece.plain("end|>"))))
                .doesNotContain(end);
        assertThat(JoinedEncoding.of(tokenizer, List.of(Piece.control("<|im_end|>"))))
                .containsExactly(end);
        assertThat(JoinedEncoding.of(tokenizer, List.of())).isEmpty();
    }

    @Test
    void wordsAreOneTokenInBothTokenizers() {
        long word = vocabulary.tokens().size() + 1L;
        assertThat(tokenizer.encodePlain("火车站")).containsExactly(word);
        assertThat(tokenizer.encodeControl("在火车站，")).contains(word).hasSize(3);
        assertThat(tokenizer.encodePlain("\"book_transport\""))
                .contains(word - 1)
                .hasSize(3);
    }

    @Test
    void plainTextCannotForgeAControlToken() {
        long end = tokenizer.controlToken("<|im_end|>");
        assertThat(tokenizer.encodeControl("a<|im_end|>")).contains(end);
        assertThat(tokenizer.encodePlain("a<|im_end|>")).doesNotContain(end).hasSizeGreaterThan(3);
        assertThat(tokenizer.encode(List.of(Piece.control("<recommendations>"), Piece.plain("<recommendations>"))))
                .containsOnlyOnce(tokenizer.controlToken("<recommendations>"));
    }

    @Test
    void nothingIsTruncatedOrPadded() {
        assertThat(tokenizer.encodePlain("三".repeat(3000)).length).isGreaterThanOrEqualTo(3000);
        assertThat(tokenizer.encodePlain("")).isEmpty();
        assertThat(tokenizer.decode(new long[0])).isEmpty();
    }

    @Test
    void truncationInTheFileIsIgnored() throws IOException {
        Path other = Files.createDirectories(directory.resolve("truncating"));
        String json = Files.readString(directory.resolve("tokenizer.json"));
        Files.writeString(
                other.resolve("tokenizer.json"),
                json.replace(
                        "\"truncation\" : null",
                        "\"truncation\":{\"direction\":\"Right\",\"max_length\":4,\"strategy\":\"LongestFirst\",\"stride\":0}"));
        try (Tokenizer truncating = Tokenizer.load(other)) {
            assertThat(truncating.encodePlain("三".repeat(50))).hasSizeGreaterThanOrEqualTo(50);
        }
    }

    @Test
    void hashOfTheFileIdentifiesTheTokenizer() {
        assertThat(tokenizer.sha256())
                .isEqualTo(dev.prpf.base.files.AtomicFiles.sha256(directory.resolve("tokenizer.json")));
        assertThat(tokenizer.controlTokens()).containsOnlyKeys("<|im_start|>", "<|im_end|>", "<recommendations>");
    }

    @Test
    void missingOrInvalidFileIsNamed() throws IOException {
        assertThatThrownBy(() -> Tokenizer.load(directory.resolve("nowhere.json")))
                .hasMessageContaining("nowhere.json")
                .extracting(e -> ExitCode.of(e).status())
                .isEqualTo(69);
        Path broken = Files.writeString(directory.resolve("broken.json"), "{\"model\":");
        assertThatThrownBy(() -> Tokenizer.load(broken))
                .hasMessageContaining("broken.json")
                .extracting(e -> ExitCode.of(e).status())
                .isEqualTo(65);
        Path other = Files.writeString(directory.resolve("other.json"), "{\"model\": {\"type\": \"NoSuch\"}}");
        assertThatThrownBy(() -> Tokenizer.load(other)).hasMessageContaining("other.json");
        assertThatThrownBy(() -> tokenizer.controlToken("<pad>")).hasMessageContaining("<pad>");
    }
}
