package dev.prpf.par.prompt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.ExitCode;
import dev.prpf.par.chat.ChatTemplates;
import dev.prpf.par.engine.Golden;
import dev.prpf.par.prompt.PromptSettings.PoolRendering;
import dev.prpf.par.prompt.PromptSettings.PromptLayout;
import dev.prpf.par.prompt.PromptSettings.PromptWording;
import dev.prpf.par.prompt.PromptSettings.ScreenshotForm;
import dev.prpf.par.response.ResponseForm.ReasoningMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PromptProvenanceTest {
    @TempDir
    private Path directory;

    @Test
    void everySettingAndTheTokenizerChangeTheHash() {
        List<String> hashes = new ArrayList<>();
        for (PromptLayout layout : PromptLayout.values()) {
            for (PromptWording wording : PromptWording.values()) {
                for (PoolRendering pool : PoolRendering.values()) {
                    for (ReasoningMode reasoning : ReasoningMode.values()) {
                        if (wording != PromptWording.BRIEF
                                && reasoning.singleStage() != (wording == PromptWording.PROACTIVEMOBILE)) {
                            continue; // refused
                        }
                        hashes.add(PromptProvenance.hash(
                                new PromptSettings(layout, wording, pool, true, reasoning, null),
                                ChatTemplates.CHATML,
                                "t"));
                        hashes.add(PromptProvenance.hash(
                                new PromptSettings(layout, wording, pool, false, reasoning, null),
                                ChatTemplates.CHATML,
                                "u"));
                        hashes.add(PromptProvenance.hash(
                                new PromptSettings(layout, wording, pool, true, reasoning, 10),
                                ChatTemplates.CHATML,
                                "t"));
                        for (ScreenshotForm form : List.of(ScreenshotForm.PIXELS, ScreenshotForm.BOTH)) {
                            PromptSettings seeing =
                                    new PromptSettings(layout, wording, pool, true, reasoning, null).with(form, null);
                            hashes.add(PromptProvenance.hash(seeing, ChatTemplates.CHATML, "t"));
                            hashes.add(PromptProvenance.hash(seeing.with(form, 64), ChatTemplates.CHATML, "t"));
                        }
                    }
                }
            }
        }
        assertThat(new HashSet<>(hashes)).hasSameSizeAs(hashes);
    }

    /** A change of these hashes refuses all models and sets that were made before it. */
    @ParameterizedTest
    @CsvSource({
        "FULL,NONE,bae0a5b1bc1433fbb13f40cfcce95f16a37cb029d702a77e6c915bd2ef0be9b9",
        "FULL,FULL,dcf7e1ee01d88e62dd4e7e275b38d4302a690fdfebd8492fee7448f561e4586e",
        "ENGLISH,NONE,66715bdf1df78a5934ed0b1d0260929e78ec7378761d69ebea9162f4c3fbc32e",
        "ENGLISH,FULL,53522e45e7872a9177eae29eacde876457747f0281c6d6d3f6e7d4d8c5bc4bf6",
        "BRIEF,NONE,30e2f242afcefc3bbeadd494e078e758d43592737fbe865338e024d5c920eb2f",
        "BRIEF,FULL,73ad1078b147db7afc0fcb2e294a13b612bd308ca60c6bf752c74bac9306ba96"
    })
    void hashesOfKnownSettingsStay(PromptWording wording, ReasoningMode reasoning, String hash) {
        PromptSettings settings =
                new PromptSettings(PromptLayout.PREFIX, wording, PoolRendering.SIGNATURE, true, reasoning, null);
        assertThat(PromptProvenance.hash(settings, ChatTemplates.CHATML, "abc")).isEqualTo(hash);
    }

    @ParameterizedTest
    @CsvSource({
        "FULL,REC_FUNCTION,wording = full must be brief or proactivemobile where reasoning is rec-function",
        "PROACTIVEMOBILE,NONE,wording = proactivemobile must be brief or another than proactivemobile where reasoning"
                + " is none"
    })
    void aFormatThatTheWordingDoesNotAskForIsRefused(PromptWording wording, ReasoningMode reasoning, String why) {
        assertThatThrownBy(() ->
                        new PromptSettings(PromptLayout.PREFIX, wording, PoolRendering.NAMES, false, reasoning, null))
                .hasMessage(why);
    }

    @Test
    void whatIsWrittenIsReadBack() {
        PromptProvenance written = PromptProvenance.of(Prompts.brief(), ChatTemplates.CHATML, "abc");
        written.write(directory);
        assertThat(PromptProvenance.read(directory)).isEqualTo(written);
        assertThat(PromptProvenance.find(directory.resolve("elsewhere"))).isNull();
    }

    @Test
    void theLimitOfScreenshotsTravelsWithTheModel() {
        PromptSettings paper = PromptSettings.paper();
        PromptSettings ten = new PromptSettings(
                paper.layout(), paper.wording(), paper.pool(), paper.scenes(), paper.reasoning(), 10);
        PromptProvenance.of(ten, ChatTemplates.CHATML, "abc").write(directory);
        assertThat(PromptProvenance.read(directory).prompt().maxScreenshots()).isEqualTo(10);
        assertThatThrownBy(() -> new PromptSettings(
                        paper.layout(), paper.wording(), paper.pool(), paper.scenes(), paper.reasoning(), 0))
                .hasMessage("max-screenshots = 0 must be at least 1 or null");
    }

    @Test
    void whatIsSeenTravelsWithTheModelAndTextTakesNoVisualTokens() {
        PromptSettings seeing = PromptSettings.paper().with(ScreenshotForm.BOTH, 300);
        PromptProvenance.of(seeing, ChatTemplates.CHATML, "abc").write(directory);
        assertThat(PromptProvenance.read(directory).prompt()).isEqualTo(seeing);
        assertThatThrownBy(() -> seeing.with(ScreenshotForm.OCR, 300))
                .hasMessage("max-visual-tokens = 300 must be null where screenshots is ocr: text takes no visual"
                        + " tokens");
        assertThatThrownBy(() -> seeing.with(ScreenshotForm.PIXELS, 0))
                .hasMessage("max-visual-tokens = 0 must be at least 1 or null");
    }

    private static Path template(String family) {
        return Golden.resource("chat-templates").resolve(family + ".jinja");
    }

    @Test
    void theTemplateIsTheDirectorysOwnAndChangesTheHash() throws IOException {
        Set<String> hashes = new HashSet<>();
        for (String family : List.of("qwen2_5", "qwen3", "qwen3_5_nothink", "smollm2")) {
            PromptProvenance written =
                    PromptProvenance.of(Prompts.brief(), ChatTemplates.ofFile(template(family)), "abc");
            hashes.add(written.promptHash());
            Files.copy(template(family), directory.resolve("chat_template.jinja"), StandardCopyOption.REPLACE_EXISTING);
            written.write(directory);
            assertThat(PromptProvenance.read(directory)).isEqualTo(written);
        }
        hashes.add(PromptProvenance.of(Prompts.brief(), ChatTemplates.CHATML, "abc")
                .promptHash());
        assertThat(hashes).hasSize(5);

        Files.copy(template("qwen3"), directory.resolve("chat_template.jinja"), StandardCopyOption.REPLACE_EXISTING);
        assertThatThrownBy(() -> PromptProvenance.read(directory))
                .hasMessageContainingAll(
                        directory + ": prompt hash = ",
                        "chat template smollm2",
                        "chat template qwen3",
                        "layout, wording, chat template and tokenizer must be the same")
                .extracting(e -> ExitCode.of(e).status())
                .isEqualTo(78);

        Files.writeString(directory.resolve("chat_template.jinja"), "{{ messages }}");
        assertThatThrownBy(() -> PromptProvenance.read(directory))
                .hasMessageContaining("chat_template.jinja: this chat template is not known")
                .extracting(e -> ExitCode.of(e).status())
                .isEqualTo(65);
    }

    @Test
    void promptsThatLetTheModelThinkAreRefused() throws IOException {
        PromptProvenance.of(Prompts.brief(), ChatTemplates.CHATML, "abc").write(directory);
        Path file = directory.resolve("prpf.json");
        Files.writeString(file, Files.readString(file).replaceFirst("(\"enable_thinking\" ?: ?)false", "$1true"));
        assertThatThrownBy(() -> PromptProvenance.read(directory))
                .hasMessage(file + ": is no prompt record: enable_thinking = true must be false: prompts are written"
                        + " without thinking")
                .extracting(e -> ExitCode.of(e).status())
                .isEqualTo(65);
    }

    @Test
    void differentPromptsDoNotMix() {
        PromptProvenance brief = PromptProvenance.of(Prompts.brief(), ChatTemplates.CHATML, "abc");
        PromptProvenance paper = PromptProvenance.of(PromptSettings.paper(), ChatTemplates.CHATML, "abc");
        brief.requireSame(PromptProvenance.of(Prompts.brief(), ChatTemplates.CHATML, "abc"), "set");
        assertThatThrownBy(() -> brief.requireSame(paper, "models/x"))
                .hasMessageContaining("models/x")
                .hasMessageContaining(brief.promptHash())
                .hasMessageContaining(paper.promptHash())
                .extracting(e -> ExitCode.of(e).status())
                .isEqualTo(78);
    }

    @Test
    void aModelThatWasNeverTrainedIsRefused() {
        assertThatThrownBy(() -> PromptProvenance.read(directory)).hasMessageContaining("reasoner sft");
    }

    @Test
    void aBrokenRecordNamesItsFile() throws IOException {
        Files.writeString(directory.resolve(PromptProvenance.FILE), "{\"prompt\": 1}");
        assertThatThrownBy(() -> PromptProvenance.read(directory))
                .hasMessageContaining("prpf.json")
                .extracting(e -> ExitCode.of(e).status())
                .isEqualTo(65);
    }

    @Test
    void aRecordOfAnotherProgramsWordingIsRefused() {
        new PromptProvenance(Prompts.brief(), "prpf", false, "abc", "0".repeat(64)).write(directory);
        assertThatThrownBy(() -> PromptProvenance.read(directory)).hasMessageContaining("0".repeat(64));
    }
}
