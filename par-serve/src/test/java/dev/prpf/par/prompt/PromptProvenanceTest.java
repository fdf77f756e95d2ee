package dev.prpf.par.prompt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.ExitCode;
import dev.prpf.par.response.ReasoningMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
                        hashes.add(PromptProvenance.hash(
                                new PromptSettings(layout, wording, pool, true, reasoning, null), "t"));
                        hashes.add(PromptProvenance.hash(
                                new PromptSettings(layout, wording, pool, false, reasoning, null), "u"));
                        hashes.add(PromptProvenance.hash(
                                new PromptSettings(layout, wording, pool, true, reasoning, 10), "t"));
                    }
                }
            }
        }
        assertThat(new HashSet<>(hashes)).hasSameSizeAs(hashes);
    }

    @Test
    void whatIsWrittenIsReadBack() {
        PromptProvenance written = PromptProvenance.of(Prompts.brief(), "abc");
        written.write(directory);
        assertThat(PromptProvenance.read(directory)).isEqualTo(written);
        assertThat(PromptProvenance.find(directory.resolve("elsewhere"))).isNull();
    }

    @Test
    void theLimitOfScreenshotsTravelsWithTheModel() {
        PromptSettings paper = PromptSettings.paper();
        PromptSettings ten = new PromptSettings(
                paper.layout(), paper.wording(), paper.pool(), paper.scenes(), paper.reasoning(), 10);
        PromptProvenance.of(ten, "abc").write(directory);
        assertThat(PromptProvenance.read(directory).prompt().maxScreenshots()).isEqualTo(10);
        assertThatThrownBy(() -> new PromptSettings(
                        paper.layout(), paper.wording(), paper.pool(), paper.scenes(), paper.reasoning(), 0))
                .hasMessage("max-screenshots = 0 must be at least 1 or null");
    }

    /** The hash is the one that such a model was given, so its sets and rollouts still fit. */
    @Test
    void aModelFromBeforeScreenshotsCouldBeLimitedIsRead() throws IOException {
        Files.writeString(
                directory.resolve("prpf.json"),
                """
                {"prompt": {"layout": "PAPER", "wording": "FULL", "pool": "FULL", "scenes": true, "reasoning": "FULL"},
                 "enable_thinking": false, "tokenizer_sha256": "abc",
                 "prompt_hash": "1bc4d281d6a164ec215dce74029a7ff0338ac4a862367de3a29d1f2bcd1b1148"}
                """);
        assertThat(PromptProvenance.read(directory)).isEqualTo(PromptProvenance.of(PromptSettings.paper(), "abc"));
    }

    @Test
    void differentPromptsDoNotMix() {
        PromptProvenance brief = PromptProvenance.of(Prompts.brief(), "abc");
        PromptProvenance paper = PromptProvenance.of(PromptSettings.paper(), "abc");
        brief.requireSame(PromptProvenance.of(Prompts.brief(), "abc"), "set");
        assertThatThrownBy(() -> brief.requireSame(paper, "models/x"))
                .hasMessageContaining("models/x")
                .hasMessageContaining(brief.promptHash())
                .hasMessageContaining(paper.promptHash())
                .extracting(e -> ExitCode.of(e).status())
                .isEqualTo(78);
    }

    @Test
    void aModelThatWasNeverTrainedIsRefused() {
        assertThatThrownBy(() -> PromptProvenance.read(directory)).hasMessageContaining("par sft");
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
        new PromptProvenance(Prompts.brief(), false, "abc", "0".repeat(64)).write(directory);
        assertThatThrownBy(() -> PromptProvenance.read(directory)).hasMessageContaining("0".repeat(64));
    }
}
