package dev.prpf.par.vision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.ExitCode;
import dev.prpf.data.TraceStep;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.par.engine.PictureGrid;
import dev.prpf.par.engine.PictureInputs;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PictureReaderTest {
    private static final int PAD = 9;

    private static PictureReader reader(int maxTokens) {
        return new PictureReader(new FakePictureEncoder(4), PAD, new ImageFolder(Path.of("shots")), maxTokens);
    }

    private static List<TraceStep.Screenshot> shown(String... names) {
        return Stream.of(names).map(TraceStep.Screenshot::new).toList();
    }

    @Test
    void aPlaceholderBecomesOneForEachTokenOfItsPicture() {
        VisualPrompt prompt = reader(0).prompt(new long[] {1, PAD, 2, PAD, 3}, shown("a-1x2.png", "b-2x2.png"), "s");
        assertThat(prompt.ids()).containsExactly(1, PAD, PAD, 2, PAD, PAD, PAD, PAD, 3);
        assertThat(prompt.pictures()).extracting(PromptPicture::path).containsExactly("a-1x2.png", "b-2x2.png");
        assertThat(PromptPicture.tokens(prompt.pictures())).isEqualTo(6);
        PictureInputs inputs = reader(0).see(prompt).pictures();
        assertThat(inputs.places().begins()).containsExactly(1, 4);
        assertThat(inputs.features()).hasSize(2).allMatch(features -> features.width() == 4);
    }

    @Test
    void aBudgetMakesPicturesSmallerAndSaysSo() {
        VisualPrompt prompt = reader(3).prompt(new long[] {PAD, PAD}, shown("a-1x2.png", "b-2x2.png"), "s");
        assertThat(prompt.pictures()).extracting(PromptPicture::reduced).containsExactly(false, true);
        assertThat(prompt.pictures().get(1).picture().grid()).isEqualTo(new PictureGrid(1, 2));
        assertThat(reader(0).prompt(new long[] {PAD}, shown("b-2x2.png"), "s").pictures())
                .extracting(PromptPicture::reduced)
                .containsExactly(false);
    }

    @Test
    void otherPicturesThanPlacesAreRefused() {
        assertThatThrownBy(() -> reader(0).prompt(new long[] {1, PAD}, shown("a-1x2.png", "b-2x2.png"), "s"))
                .hasMessageContaining("has a place for 1 pictures, and 2 are given")
                .extracting(e -> ExitCode.of(e).status())
                .isEqualTo(65);
        assertThatThrownBy(() -> reader(0).expanded(new long[] {1, PAD, PAD}, shown("a-1x3.png"), "s"))
                .hasMessageContaining("picture 1 of 1 has 3 tokens")
                .extracting(e -> ExitCode.of(e).status())
                .isEqualTo(65);
        assertThatThrownBy(() -> reader(0).expanded(new long[] {1, PAD, PAD}, List.of(), "s"))
                .hasMessageContaining("has 2 placeholders of pictures, its 0 pictures need 0")
                .extracting(e -> ExitCode.of(e).status())
                .isEqualTo(65);
        assertThatThrownBy(() -> reader(0).prompt(new long[] {PAD}, shown("no.png"), "s"))
                .hasMessageContaining("no.png is no picture");
        assertThatThrownBy(() -> reader(0).prompt(new long[] {PAD}, shown("../1x2.png"), "s"))
                .hasMessageContainingAll("sample s", "lies outside the image root");
    }

    @Test
    void aModelThatDoesNotSeeRefusesAPictureAndTakesText() {
        assertThatThrownBy(() -> PictureReader.BLIND.prompt(new long[] {PAD}, shown("a-1x2.png"), "s"))
                .hasMessageContainingAll("sample s: a-1x2.png", "the model has no vision encoder", "prompt.screenshots")
                .extracting(e -> ExitCode.of(e).status())
                .isEqualTo(78);
        VisualPrompt text = PictureReader.BLIND.prompt(new long[] {1, 2}, List.of(), "s");
        assertThat(text.ids()).containsExactly(1, 2);
        assertThat(PictureReader.BLIND.see(text).pictures().features()).isEmpty();
    }
}
