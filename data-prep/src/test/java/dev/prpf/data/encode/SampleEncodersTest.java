package dev.prpf.data.encode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.data.encode.spec.EncoderSpec.EncoderPrecision;
import dev.prpf.data.encode.spec.EncoderSpec.LongText;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SampleEncodersTest {
    @TempDir
    Path folder;

    private final List<EncoderSettings> asked = new ArrayList<>();

    private EncoderSettings settings(LongText longText, String store) {
        return new EncoderSettings(EncoderPrecision.INT8, longText, 1, folder.resolve(store), null);
    }

    private SampleEncoder open(EncoderSettings settings) {
        asked.add(settings);
        return SampleEncoder.open(settings);
    }

    @Test
    void eachIsOpenedOnceWhenItIsAskedForInThePlacesOfTheFirst() {
        EncoderSettings first = settings(LongText.MEAN_OF_WINDOWS, "store");
        EncoderSettings other = settings(LongText.TRUNCATE, "elsewhere");
        try (SampleEncoders encoders = new SampleEncoders(first, this::open)) {
            assertThat(asked).isEmpty();
            assertThat(encoders.of(other)).isSameAs(encoders.of(other)).isNotSameAs(encoders.first());
            assertThat(encoders.of(first)).isSameAs(encoders.first());
        }
        assertThat(asked).containsExactly(settings(LongText.TRUNCATE, "store"), first);
    }

    @Test
    void whatAllDidIsSummedUpAlsoOfThoseOpenedAfterCountingBegan() {
        EncoderSettings first = settings(LongText.MEAN_OF_WINDOWS, "store");
        try (SampleEncoders encoders = new SampleEncoders(first, this::open)) {
            encoders.countEarly();
            assertThat(encoders.cost()).isEqualTo(EncodingCost.NONE);
            encoders.first().encodeTexts(List.of("打开地图"));
            double alone = encoders.cost().textFlops();
            SampleEncoder second = encoders.of(settings(LongText.TRUNCATE, "store"));
            second.encodeTexts(List.of("打开地图"));
            second.encodeTexts(List.of("打开地图"));

            assertThat(alone).isPositive();
            assertThat(encoders.cost().textFlops()).isCloseTo(2 * alone, within(1e-6 * alone));
            assertThat(encoders.cost().frameFlops()).isZero();
        }
    }

    @Test
    void oneThatIsMissingIsNamedAndTheOthersAreStillClosed() {
        EncoderSettings first = settings(LongText.MEAN_OF_WINDOWS, "store");
        EncoderSettings missing = new EncoderSettings(
                "dir:" + folder.resolve("none"),
                EncoderPrecision.FP32,
                LongText.TRUNCATE,
                ImageEncoderChoice.DEFAULT,
                1,
                folder,
                null);
        try (SampleEncoders encoders = new SampleEncoders(first, this::open)) {
            assertThat(encoders.first().width()).isEqualTo(512);
            assertThatThrownBy(() -> encoders.of(missing))
                    .isInstanceOf(UnavailableException.class)
                    .hasMessageContaining("does not exist");
        }
    }
}
