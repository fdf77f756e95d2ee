package dev.prpf.data.synth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.data.Language;
import dev.prpf.data.Sample;
import dev.prpf.data.io.ScenarioCatalogReader;
import dev.prpf.data.synth.SampleSynth.CueComposer;
import dev.prpf.data.synth.SynthLibrary.VisualCue;
import dev.prpf.data.synth.SynthSample.CueScreen;
import dev.prpf.data.synth.SynthSample.Screen;
import dev.prpf.data.synth.SynthSettings.VisualCues;
import dev.prpf.data.synth.screen.ScreenFont;
import dev.prpf.data.synth.screen.ScreenPainter;
import java.awt.Font;
import java.awt.image.BufferedImage;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class VisualCueTest {
    private static final SynthLibrary LIBRARY =
            new SynthLibrary(ScenarioCatalogReader.shipped(), SynthLibrary.Names.ALL);
    private static final Font FONT = ScreenFont.load(null);

    static Stream<VisualCue> cues() {
        return LIBRARY.cues().stream();
    }

    private static SynthSample compose(VisualCue cue, Language language, int lit) {
        Draw draw = new Draw(LIBRARY, language, new SplittableRandom(77));
        return new CueComposer(draw, cue, VisualCues.small(1)).compose("train-1-000000", "train", lit);
    }

    /** Everything of a sample except its answer and the look of its screen. */
    private static List<Object> texts(SynthSample made) {
        Sample sample = made.sample();
        Screen screen = made.screens().get(0);
        return List.of(
                sample.id(),
                Objects.requireNonNull(sample.scenario()),
                sample.context(),
                sample.trajectory(),
                List.of(screen.path(), screen.sentence(), screen.title(), screen.filler(), screen.time()));
    }

    private static BufferedImage paint(SynthSample made, Language language) {
        return new ScreenPainter(FONT, language).paint(made.screens().get(0));
    }

    private static int differing(BufferedImage one, BufferedImage two) {
        return (int) IntStream.range(0, one.getWidth() * one.getHeight())
                .filter(i -> one.getRGB(i % one.getWidth(), i / one.getWidth())
                        != two.getRGB(i % two.getWidth(), i / two.getWidth()))
                .count();
    }

    @ParameterizedTest
    @MethodSource("cues")
    void answersDifferWhereNothingButTheLookDoes(VisualCue cue) {
        for (Language language : Language.values()) {
            SynthSample silent = compose(cue, language, CueComposer.NONE);
            assertThat(silent.sample().answers()).isEmpty();
            Set<Object> answers = new HashSet<>();
            answers.add(Objects.requireNonNull(silent.sample().answers()));
            for (int lit = 0; lit < cue.options().size(); lit++) {
                SynthSample made = compose(cue, language, lit);
                assertThat(texts(made)).isEqualTo(texts(silent));
                assertThat(answers.add(Objects.requireNonNull(made.sample().answers())))
                        .isTrue();
                int differing = differing(paint(made, language), paint(silent, language));
                assertThat(differing).as("%s pixels of 51200", differing).isBetween(80, 16_000);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(CueScreen.Kind.class)
    void everyKindHasACueOfFourOptions(CueScreen.Kind kind) {
        assertThat(cues().filter(cue -> cue.kind() == kind))
                .hasSize(1)
                .allMatch(cue -> cue.options().size() == 4);
    }

    @Test
    void theScenarioTellsNoAnswer() {
        assertThat(cues()).allSatisfy(cue -> assertThat(
                        cue.options().stream().map(option -> LIBRARY.scenarioOf(option.function())))
                .containsOnly("Device & System Management"));
    }

    private static SampleSynth synth(SynthSettings settings) {
        return new SampleSynth(settings, ScenarioCatalogReader.shipped());
    }

    private static SynthSettings settings(VisualCues cues) {
        SynthSettings defaults = SynthSettings.defaults(6, 400, "train");
        return new SynthSettings(
                defaults.seed(),
                defaults.count(),
                defaults.split(),
                Language.ZH,
                false,
                0,
                0.2,
                defaults.distractors(),
                defaults.screens(),
                defaults.difficulty(),
                cues);
    }

    @Test
    void theLitOptionIsDrawnEvenlyAndSilenceByItsShare() {
        Map<Integer, Integer> lit = new HashMap<>();
        Set<CueScreen.Kind> kinds = EnumSet.noneOf(CueScreen.Kind.class);
        synth(settings(VisualCues.small(1))).samples().forEach(made -> {
            CueScreen cue = Objects.requireNonNull(made.screens().get(0).cue());
            lit.merge(cue.lit(), 1, Integer::sum);
            kinds.add(cue.kind());
            assertThat(made.temper().acts()).isEqualTo(cue.lit() >= 0);
        });
        assertThat(lit.keySet()).containsExactlyInAnyOrder(-1, 0, 1, 2, 3);
        assertThat(lit.values()).allSatisfy(count -> assertThat(count).isBetween(55, 105)); // 80 of 400 each
        assertThat(kinds).hasSize(4);
    }

    @Test
    void aShareOfTheSamplesHasThemAndASampleIsAFunctionOfItsIndex() {
        SampleSynth synth = synth(settings(new VisualCues(0.5, 200, 400)));
        long cues = synth.samples().filter(made -> !made.screens().isEmpty()).count();
        assertThat(cues).isBetween(160L, 240L);
        assertThat(synth.sample(17)).isEqualTo(synth.sample(17));
        SynthSample made = synth.samples()
                .filter(sample -> !sample.screens().isEmpty())
                .findFirst()
                .orElseThrow();
        BufferedImage image = paint(made, Language.ZH);
        assertThat(List.of(image.getWidth(), image.getHeight())).containsExactly(200, 400);
    }

    @Test
    void sizesThatCannotBeDrawnAreRefused() {
        assertThatThrownBy(() -> new VisualCues(1, 50, 320)).hasMessage("width = 50 must be 96 to 4000 pixels");
        assertThatThrownBy(() -> new VisualCues(2, 160, 320)).hasMessage("share = 2.0 must be between 0 and 1");
    }
}
