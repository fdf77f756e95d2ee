package dev.prpf.data.synth;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.data.Language;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.io.FunctionCallJson;
import dev.prpf.data.io.ScenarioCatalogReader;
import dev.prpf.data.synth.SynthLibrary.Entity;
import dev.prpf.data.synth.SynthLibrary.Names;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class UnseenNamesTest {
    private static final ScenarioCatalog CATALOG = ScenarioCatalogReader.shipped();
    private static final List<String> OPEN = List.of("person", "city", "restaurant", "amount", "days", "hotel");

    private static Set<String> names(Names part, Language language) {
        SynthLibrary library = new SynthLibrary(CATALOG, part);
        return OPEN.stream()
                .flatMap(vocabulary -> library.vocabulary(vocabulary).stream())
                .map(entity -> entity.in(language))
                .collect(Collectors.toSet());
    }

    /** Returns the values of all answers and the trajectories' steps. */
    private static Set<String> texts(String split, Language language) {
        SynthSettings made = TestSettings.of(5, 600, split, 0, language);
        SynthSettings settings = new SynthSettings(
                made.seed(),
                made.count(),
                split,
                language,
                true,
                0,
                made.silentShare(),
                made.distractors(),
                made.screens(),
                made.difficulty(),
                null);
        Set<String> texts = new HashSet<>();
        new SampleSynth(settings, CATALOG).samples().map(SynthSample::sample).forEach(sample -> {
            texts.addAll(sample.trajectory().texts());
            sample.validSequences().stream()
                    .flatMap(List::stream)
                    .flatMap(call -> call.parameters().values().stream())
                    .flatMap(FunctionCallJson::leaves)
                    .map(JsonNode::asText)
                    .forEach(texts::add);
        });
        return texts;
    }

    private static List<String> named(Set<String> texts, Set<String> names) {
        return names.stream()
                .filter(name -> name.length() > 1)
                .filter(name -> texts.stream().anyMatch(text -> text.contains(name)))
                .sorted()
                .toList();
    }

    @ParameterizedTest
    @EnumSource(Language.class)
    void trainAndTestShareNoNamePlaceOrValue(Language language) {
        Set<String> heldOut = names(Names.HELD_OUT, language);
        Set<String> others = names(Names.OTHERS, language);
        assertThat(heldOut).hasSizeGreaterThan(20).doesNotContainAnyElementsOf(others);
        assertThat(named(texts("train", language), heldOut)).isEmpty();
        assertThat(named(texts("test", language), others)).isEmpty();
        assertThat(named(texts("test", language), heldOut)).hasSizeGreaterThan(20);
    }

    @Test
    void codesOfAnEnumerationBelongToBothParts() {
        List<Entity> all = new SynthLibrary(CATALOG, Names.ALL).vocabulary("power");
        assertThat(new SynthLibrary(CATALOG, Names.HELD_OUT).vocabulary("power"))
                .isEqualTo(all)
                .isEqualTo(new SynthLibrary(CATALOG, Names.OTHERS).vocabulary("power"));
    }
}
