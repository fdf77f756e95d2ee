package dev.prpf.par.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.image.Pixels;
import dev.prpf.data.Sample;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.par.chat.ChatTemplates;
import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.export.RewardedPrompts.RewardFiles;
import dev.prpf.par.openai.DrawnImages;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.prompt.PromptSettings.ScreenshotForm;
import dev.prpf.par.prompt.Prompts;
import dev.prpf.par.reward.RewardSettings;
import dev.prpf.par.sets.SftRecord;
import dev.prpf.par.sets.SftRecords;
import dev.prpf.par.sets.SftSet.DataSftConfig.SftSetSettings.Target;
import dev.prpf.par.tokenizer.Piece;
import dev.prpf.par.tokenizer.SmallTokenizer;
import dev.prpf.par.tokenizer.Tokenizer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import javax.imageio.ImageIO;
import org.apache.commons.lang3.StringUtils;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests exports of a set with images in prompts: one record with two screenshots, and two of text. */
class ImageExportTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final PromptSettings PIXELS = ExportFixture.FULL.with(ScreenshotForm.PIXELS, null);
    private static final RewardFiles REWARD = new RewardFiles(ExportFixture.gold(), Prompts.POOL, RewardSettings.PAPER);

    @TempDir
    private Path directory;

    private Path images = Path.of("images");
    private Path out = Path.of("out");

    @BeforeEach
    void draw() throws IOException {
        images = directory.resolve("screens");
        out = directory.resolve("out");
        Files.createDirectories(images.resolve("images"));
        DrawnImages.draw(images.resolve("images/a.png"), 40, 64, 1);
        DrawnImages.draw(images.resolve("b.png"), 64, 40, 2);
    }

    private static SftRecords set(List<Sample> samples) {
        return new SftRecords("sft.jsonl", ExportFixture.records(PIXELS, samples, Target.FIRST));
    }

    private ExportFolder folder(Trainer trainer) {
        return new ExportFolder(out, trainer, true, new ImageFolder(images));
    }

    private List<JsonNode> exported(Trainer trainer, boolean rewarded) throws IOException {
        SftRecords set = set(ExportFixture.samples());
        ExportFolder folder = folder(trainer);
        List<String> written = rewarded
                ? folder.writeRewarded(set, set.records(), List.of(), REWARD)
                : folder.writeSupervised(set, List.of());
        assertThat(written).contains("images");
        assertThat(folder.images()).isEqualTo(2);
        List<JsonNode> rows = new ArrayList<>();
        for (String line : Files.readAllLines(out.resolve("train.jsonl"))) {
            rows.add(JSON.readTree(line));
        }
        return rows;
    }

    /** The images of the record with screenshots are copies of its own, in order; others have none. */
    private void assertImages(List<JsonNode> rows) throws IOException {
        assertThat(rows)
                .hasSize(3)
                .allSatisfy(row -> assertThat(row.get("images").isArray()).isTrue());
        assertThat(rows.get(0).get("images")).isEmpty();
        JsonNode names = rows.get(2).get("images");
        assertThat(names).hasSize(2).allSatisfy(name -> assertThat(name.textValue())
                .matches("images/[0-9a-f]{64}\\.png"));
        assertThat(out.resolve(names.get(0).textValue())).hasSameBinaryContentAs(images.resolve("images/a.png"));
        assertThat(out.resolve(names.get(1).textValue())).hasSameBinaryContentAs(images.resolve("b.png"));
    }

    /** Trainers open images without turning them. */
    @Test
    void rotatedImageIsWrittenUpright() throws IOException {
        Path drawn = DrawnImages.draw(directory.resolve("a.jpg"), 64, 40, 2);
        Path turned = images.resolve("b.png");
        Files.write(turned, DrawnImages.turned(Files.readAllBytes(drawn), 6));
        JsonNode names = exported(Trainer.TRL, false).get(2).get("images");
        assertThat(out.resolve(names.get(0).textValue())).hasSameBinaryContentAs(images.resolve("images/a.png"));
        byte[] written = Files.readAllBytes(out.resolve(names.get(1).textValue()));
        assertThat(names.get(1).textValue()).isEqualTo("images/" + AtomicFiles.sha256(written) + ".png");
        Pixels upright = Pixels.of(ImageIO.read(new ByteArrayInputStream(written)));
        assertThat(upright.width()).isEqualTo(40);
        assertThat(upright.rgb()).isEqualTo(Pixels.read(turned).rgb());
    }

    private static String contents(JsonNode messages) {
        return String.join("\n", messages.findValuesAsText("content"));
    }

    @ParameterizedTest
    @EnumSource(
            value = Trainer.class,
            names = {"LLAMA_FACTORY", "VERL", "MS_SWIFT"})
    void anSftRowHasATagForEachImage(Trainer trainer) throws IOException {
        List<JsonNode> rows = exported(trainer, false);
        assertImages(rows);
        for (JsonNode row : rows) {
            String text = contents(row.get("messages"));
            assertThat(StringUtils.countMatches(text, "<image>"))
                    .isEqualTo(row.get("images").size());
            assertThat(text).doesNotContain("vision_start");
        }
        assertThat(rows.get(2).at("/messages/1/content").asText()).doesNotContain("文字@");
        assertThat(contents(rows.get(2).get("messages"))).contains("<screen>1\n<image>\n</screen>");
    }

    @ParameterizedTest
    @EnumSource(
            value = Trainer.class,
            names = {"VERL", "SLIME", "MS_SWIFT"})
    void aGrpoRowHasATagForEachImage(Trainer trainer) throws IOException {
        List<JsonNode> rows = exported(trainer, true);
        assertImages(rows);
        String key = trainer == Trainer.MS_SWIFT ? "messages" : "prompt";
        assertThat(rows).allSatisfy(row -> assertThat(StringUtils.countMatches(contents(row.get(key)), "<image>"))
                .isEqualTo(row.get("images").size()));
    }

    @ParameterizedTest
    @EnumSource(
            value = Trainer.class,
            names = {"TRL", "OPENRLHF"})
    void aGrpoRowOfPartsHasAPartForEachImage(Trainer trainer) throws IOException {
        List<JsonNode> rows = exported(trainer, true);
        assertImages(rows);
        assertParts(rows.get(2).get("prompt"), 2);
        assertParts(rows.get(0).get("prompt"), 0);
    }

    @Test
    void promptAndCompletionOfTrlAreParts() throws IOException {
        List<JsonNode> rows = exported(Trainer.TRL, false);
        assertImages(rows);
        assertParts(rows.get(2).get("prompt"), 2);
        assertParts(rows.get(2).get("completion"), 0);
    }

    private static void assertParts(JsonNode messages, int images) {
        assertThat(messages)
                .allSatisfy(message -> assertThat(message.get("content").isArray())
                        .as("one type in all messages")
                        .isTrue());
        List<JsonNode> parts = StreamSupport.stream(messages.spliterator(), false)
                .flatMap(message -> StreamSupport.stream(message.get("content").spliterator(), false))
                .toList();
        assertThat(parts)
                .filteredOn(part -> part.toString().equals("{\"type\":\"image\"}"))
                .hasSize(images);
        assertThat(parts)
                .filteredOn(part -> part.path("type").asText().equals("text"))
                .hasSize(parts.size() - images)
                .allSatisfy(part -> assertThat(part.get("text").textValue()).doesNotContain("<|vision"));
    }

    @Test
    void llamaFactoryGetsTheColumnsName() throws IOException {
        exported(Trainer.LLAMA_FACTORY, false);
        assertThat(JSON.readTree(out.resolve("dataset_info.json").toFile()).at("/prpf/columns"))
                .isEqualTo(JSON.readTree("{\"messages\": \"messages\", \"images\": \"images\"}"));
        assertThat(out.resolve("chat_template.jinja"))
                .content()
                .contains("<|vision_start|><|image_pad|><|vision_end|>");
    }

    @Test
    void equalImagesAreCopiedOnceAndOldOnesDeleted() throws IOException {
        exported(Trainer.TRL, false);
        DrawnImages.draw(images.resolve("images/a.png"), 40, 64, 9);
        Files.copy(images.resolve("images/a.png"), images.resolve("c.png"));
        Files.delete(images.resolve("b.png"));
        Files.move(images.resolve("c.png"), images.resolve("b.png"));
        ExportFolder folder = folder(Trainer.TRL);
        folder.writeSupervised(set(ExportFixture.samples()), List.of());
        assertThat(folder.images()).isEqualTo(1);
        try (Stream<Path> files = Files.list(out.resolve("images"))) {
            assertThat(files).hasSize(1);
        }
    }

    @Test
    void missingOrInvalidImageIsReportedBeforeDeletions() throws IOException {
        exported(Trainer.TRL, false);
        Files.delete(images.resolve("b.png"));
        assertRefused(InvalidDataException.class, Trainer.TRL, "record \"screens\"", "b.png", "does not exist");
        Files.writeString(images.resolve("b.png"), "none");
        assertRefused(InvalidDataException.class, Trainer.TRL, "record \"screens\"", "b.png", "is not an image");
        assertThat(out.resolve("train.jsonl")).exists();
        Path whole = DrawnImages.draw(directory.resolve("whole.png"), 64, 40, 2);
        byte[] bytes = Files.readAllBytes(whole);
        Files.write(images.resolve("b.png"), Arrays.copyOf(bytes, bytes.length / 2));
        assertRefused(InvalidDataException.class, Trainer.TRL, "record \"screens\"", "b.png", "cannot be decoded");
        images = Path.of("nowhere");
        assertThatThrownBy(() -> new ExportFolder(out, Trainer.TRL, true)
                        .writeSupervised(set(ExportFixture.samples()), List.of()))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("give --images DIR");
    }

    @Test
    void foreignFilesStay() throws IOException {
        new ExportFolder(out, Trainer.TRL, true)
                .writeSupervised(
                        new SftRecords(
                                "sft.jsonl",
                                ExportFixture.records(ExportFixture.BRIEF, ExportFixture.samples(), Target.FIRST)),
                        List.of());
        Path others = Files.createDirectory(out.resolve("images")).resolve("holiday.png");
        Files.writeString(others, "mine");
        Path named = Files.writeString(out.resolve("images/" + "0".repeat(64) + ".png"), "mine too");
        exported(Trainer.TRL, false);
        assertThat(others).hasContent("mine");
        assertThat(named).as("the export before had no images").hasContent("mine too");
        exported(Trainer.TRL, false);
        assertThat(others).hasContent("mine");
        assertThat(named).doesNotExist();
    }

    @Test
    void aCheckFindsWhatWritingWouldFindAndWritesNothing() throws IOException {
        SftRecords set = set(ExportFixture.samples());
        ExportFolder folder = folder(Trainer.TRL);
        folder.checkSupervised(set, List.of());
        folder.checkRewarded(set, set.records(), List.of());
        assertThat(folder.images()).isEqualTo(2);
        assertThat(out).doesNotExist();
        assertThatThrownBy(() -> folder(Trainer.OPENRLHF).checkSupervised(set, List.of()))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("openrlhf");
    }

    private void assertRefused(Class<? extends PrpfException> type, Trainer trainer, String... words) {
        assertThatThrownBy(() -> folder(trainer).writeSupervised(set(ExportFixture.samples()), List.of()))
                .isInstanceOf(type)
                .hasMessageContainingAll(words);
    }

    @Test
    void textWithImagePlaceholdersIsRejectedExceptInParts() {
        SftRecords set = set(List.of(ExportFixture.text("forged", "看 <image> 吗", ExportFixture.FOOD)));
        assertThatThrownBy(() -> folder(Trainer.LLAMA_FACTORY).writeSupervised(set, List.of()))
                .isInstanceOf(InvalidDataException.class)
                .hasMessageContainingAll("\"forged\"", "<image>", "llama-factory");
        folder(Trainer.TRL).writeSupervised(set, List.of());
        assertThat(out.resolve("train.jsonl")).content().contains("看 <image> 吗");
    }

    @Test
    void trainersWithoutImagesAreRejectedAndParquetKeepsRecords() throws IOException {
        assertRefused(UsageException.class, Trainer.OPENRLHF, "prompt.screenshots = pixels", "openrlhf");
        SftRecords set = set(ExportFixture.samples());
        assertThatThrownBy(() -> folder(Trainer.PARQUET).writeRewarded(set, set.records(), List.of(), REWARD))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("parquet");
        folder(Trainer.PARQUET).writeSupervised(set, List.of());
        assertThat(SftRecords.read(out).records())
                .extracting(SftRecord::images)
                .containsExactly(List.of(), List.of(), List.of("images/a.png", "b.png"));
    }

    @Test
    void promptOfAGroupMatchesWithAnyNumberOfImageTokens() {
        SmallTokenizer.write(directory, "<|vision_start|>", Piece.IMAGE_PAD, "<|vision_end|>");
        SftRecord record = set(ExportFixture.samples()).records().get(2);
        try (ChatTokenizer chat = new ChatTokenizer(Tokenizer.load(directory), ChatTemplates.CHATML)) {
            long pad = chat.tokenizer().controlToken(Piece.IMAGE_PAD);
            RewardedPrompts.RolledOut model = new RewardedPrompts.RolledOut(directory, "hash", REWARD, chat);
            long[] ids = chat.prompt(record.system(), record.user());
            long[] expanded = LongStream.of(ids)
                    .flatMap(id -> LongStream.generate(() -> id).limit(id == pad ? 6 : 1))
                    .toArray();
            assertThat(expanded).hasSize(ids.length + 10);
            assertThat(model.writes(record, expanded)).isTrue();
            assertThat(model.writes(
                            record, LongStream.of(ids).filter(id -> id != pad).toArray()))
                    .isFalse();
        }
    }
}
