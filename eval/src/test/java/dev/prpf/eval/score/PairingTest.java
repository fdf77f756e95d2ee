package dev.prpf.eval.score;

import static dev.prpf.eval.score.Cases.calls;
import static dev.prpf.eval.score.Cases.gated;
import static dev.prpf.eval.score.Cases.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.Sample;
import dev.prpf.par.cascade.Prediction;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PairingTest {
    private static void refuses(List<Sample> gold, List<Prediction> predictions, String... parts) {
        assertThatThrownBy(() -> Pairing.of(gold, "gold.json", predictions, "p.jsonl"))
                .isInstanceOfSatisfying(PrpfException.class, refused -> assertThat(ExitCode.of(refused))
                        .isEqualTo(ExitCode.BAD_DATA))
                .hasMessageContainingAll(parts);
    }

    @Test
    void pairsByIdWhateverTheOrder() {
        assertThat(Pairing.of(List.of(text("x"), text("y")), "g", List.of(gated("y"), gated("x")), "p"))
                .containsOnlyKeys("x", "y");
    }

    @Test
    void aSampleWithoutPredictionIsNamed() {
        refuses(
                List.of(text("x"), text("y"), text("z")),
                List.of(gated("y")),
                "gold.json",
                "p.jsonl",
                "2 x sample without prediction: x, z");
    }

    @Test
    void aPredictionWithoutSampleIsNamed() {
        refuses(List.of(text("x")), List.of(gated("x"), gated("w")), "1 x prediction without sample: w");
    }

    @Test
    void idsThatStandTwiceAreNamedOnEitherSide() {
        refuses(List.of(text("x"), text("x")), List.of(gated("x")), "1 x duplicate sample id: x");
        refuses(List.of(text("x")), List.of(gated("x"), gated("x")), "1 x duplicate predicted id: x");
    }

    @Test
    void unlabelledGoldIsRefusedNotTakenForSilence() {
        refuses(
                List.of(Cases.unlabelled("u"), text("x", calls("a"))),
                List.of(gated("u"), gated("x")),
                "unlabelled",
                ": u");
    }

    @Test
    void everythingWrongIsSaidAtOnceAndLongListsAreCounted() {
        List<Sample> gold = IntStream.range(0, 30).mapToObj(i -> text("s" + i)).toList();
        refuses(gold, List.of(gated("w")), "30 x sample without prediction: s0, s1", "s19 and 10 more", ": w");
    }
}
