package dev.prpf.par.vision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.ExitCode;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.par.engine.ImageFeatures.ImageGrid;
import dev.prpf.par.engine.ImageInputs;
import dev.prpf.par.vision.VisualPrompt.PromptImage;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PromptImageReaderTest {
    private static final int PAD = 9;

    private static PromptImageReader reader(int maxTokens) {
        return new PromptImageReader(new FakeVisionEncoder(4), PAD, new ImageFolder(Path.of("shots")), maxTokens);
    }

    private static List<TraceStep.Screenshot> shown(String... names) {
        return Stream.of(names).map(TraceStep.Screenshot::new).toList();
    }

    @Test
    void aPlaceholderBecomesOneForEachTokenOfItsImage() {
        VisualPrompt prompt = reader(0).prompt(new long[] {1, PAD, 2, PAD, 3}, shown("a-1x2.png", "b-2x2.png"), "s");
        assertThat(prompt.ids()).containsExactly(1, PAD, PAD, 2, PAD, PAD, PAD, PAD, 3);
        assertThat(prompt.shown()).extracting(PromptImage::path).containsExactly("a-1x2.png", "b-2x2.png");
        assertThat(PromptImage.tokens(prompt.shown())).isEqualTo(6);
        ImageInputs inputs = reader(0).see(prompt).images();
        assertThat(inputs.places().begins()).containsExactly(1, 4);
        assertThat(inputs.features()).hasSize(2).allMatch(features -> features.width() == 4);
    }

    @Test
    void aBudgetMakesImagesSmallerAndSaysSo() {
        VisualPrompt prompt = reader(3).prompt(new long[] {PAD, PAD}, shown("a-1x2.png", "b-2x2.png"), "s");
        assertThat(prompt.shown()).extracting(PromptImage::reduced).containsExactly(false, true);
        assertThat(prompt.shown().get(1).image().grid()).isEqualTo(new ImageGrid(1, 2));
        assertThat(reader(0).prompt(new long[] {PAD}, shown("b-2x2.png"), "s").shown())
                .extracting(PromptImage::reduced)
                .containsExactly(false);
    }

    @Test
    void otherImagesThanPlacesAreRefused() {
        assertThatThrownBy(() -> reader(0).prompt(new long[] {1, PAD}, shown("a-1x2.png", "b-2x2.png"), "s"))
                .hasMessageContaining("has a place for 1 images, and 2 are given")
                .extracting(e -> ExitCode.of(e).status())
                .isEqualTo(65);
        assertThatThrownBy(() -> reader(0).expanded(new long[] {1, PAD, PAD}, shown("a-1x3.png"), "s"))
                .hasMessageContaining("image 1 of 1 has 3 tokens")
                .extracting(e -> ExitCode.of(e).status())
                .isEqualTo(65);
        assertThatThrownBy(() -> reader(0).expanded(new long[] {1, PAD, PAD}, List.of(), "s"))
                .hasMessageContaining("has 2 placeholders of images, its 0 images need 0")
                .extracting(e -> ExitCode.of(e).status())
                .isEqualTo(65);
        assertThatThrownBy(() -> reader(0).prompt(new long[] {PAD}, shown("no.png"), "s"))
                .hasMessageContaining("no.png is no image");
        assertThatThrownBy(() -> reader(0).prompt(new long[] {PAD}, shown("../1x2.png"), "s"))
                .hasMessageContainingAll("sample s", "lies outside the image root");
    }

    @Test
    void aModelThatDoesNotSeeRefusesAnImageAndTakesText() {
        assertThatThrownBy(() -> PromptImageReader.BLIND.prompt(new long[] {PAD}, shown("a-1x2.png"), "s"))
                .hasMessageContainingAll("sample s: a-1x2.png", "the model has no vision encoder", "prompt.screenshots")
                .extracting(e -> ExitCode.of(e).status())
                .isEqualTo(78);
        VisualPrompt text = PromptImageReader.BLIND.prompt(new long[] {1, 2}, List.of(), "s");
        assertThat(text.ids()).containsExactly(1, 2);
        assertThat(PromptImageReader.BLIND.see(text).images().features()).isEmpty();
    }
}
