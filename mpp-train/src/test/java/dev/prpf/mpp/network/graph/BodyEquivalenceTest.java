package dev.prpf.mpp.network.graph;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.data.encode.SampleFeatures;
import dev.prpf.mpp.Differences;
import dev.prpf.mpp.MadeFeatures;
import dev.prpf.mpp.MadeShape;
import dev.prpf.mpp.network.definition.FeatureBatch;
import dev.prpf.mpp.network.definition.NetworkShape;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/** Compares values and all gradients of the hand-written passes with SameDiff's in doubles, on random networks. */
@Tag("slow")
class BodyEquivalenceTest {
    private static final double TOLERANCE = 1e-4;
    private static final int[] HEADS = {1, 2, 3, 6};

    /** Makes a network and a batch from a seed. */
    private record Drawn(NetworkShape shape, FeatureBatch batch, long step) {
        static Drawn of(int number) {
            SplittableRandom random = new SplittableRandom(number);
            int channels = random.nextInt(4);
            int recent = 1 + random.nextInt(5);
            int steps = recent + random.nextInt(8);
            int sentences = random.nextInt(3);
            NetworkShape shape = MadeShape.small()
                    .inputs(1 + random.nextInt(13), sentences, random.nextBoolean())
                    .window(recent, steps, steps)
                    .transformer(12, HEADS[random.nextInt(4)], 1 + random.nextInt(5) / 4, 5 + random.nextInt(130))
                    .dropout(random.nextBoolean() ? 0 : 0.3)
                    .channels(channels != 0, channels != 1)
                    .shape();
            int samples = 1 + random.nextInt(6);
            List<SampleFeatures> made = MadeFeatures.of(samples, shape.width(), 5, 1 + random.nextInt(12), number);
            List<SampleFeatures> own = sentences == 0 ? made : MadeFeatures.withSentences(made, sentences);
            int rows = samples + random.nextInt(3); // empty ones at the end
            return new Drawn(shape, FeatureBatch.of(own, shape, rows, 1 + random.nextInt(steps)), random.nextInt(9));
        }
    }

    static IntStream numbers() {
        return IntStream.range(0, 50);
    }

    @ParameterizedTest
    @MethodSource("numbers")
    void hostAndSameDiffAgreeOnARandomNetwork(int number) {
        Drawn drawn = Drawn.of(number);
        int rows = drawn.batch.rows();
        MadeBodies made = new MadeBodies(drawn.shape);
        MadeBodies.Made host = made.host();
        // The library's softmax over only masked rows, of an empty sample, is NaN in doubles.
        DataType type = rows > drawn.batch.samples().size() ? DataType.FLOAT : DataType.DOUBLE;
        MadeBodies.Made reference = made.sameDiff(type);
        INDArray[] floats = made.inputs(drawn.batch, DataType.FLOAT);
        INDArray[] doubles = made.inputs(drawn.batch, type);
        assertClose(
                host.body().forward(floats, PerceiverBody.INFERENCE),
                reference.body().forward(doubles, PerceiverBody.INFERENCE));
        assertClose(host.body().forward(floats, drawn.step), reference.body().forward(doubles, drawn.step));
        for (int run = 0; run < 2; run++) { // gradients are overwritten, not added to the last run's
            host.body().backward(made.cotangent(rows, DataType.FLOAT));
        }
        reference.body().backward(made.cotangent(rows, type));
        double scale = 1e-2 * largest(reference.gradients().data().asDouble());
        assertThat(scale).isPositive();
        host.byName().keySet().forEach(name -> {
            double[] expected = reference.gradient(name);
            double tolerance = TOLERANCE * Math.max(scale, largest(expected));
            assertThat(Differences.largest(host.gradient(name), expected))
                    .as(name)
                    .isLessThanOrEqualTo(tolerance);
        });
    }

    private static void assertClose(INDArray values, INDArray expected) {
        double[] wanted = expected.dup('c').data().asDouble();
        assertThat(Differences.largest(values.dup('c').data().asDouble(), wanted))
                .isLessThanOrEqualTo(TOLERANCE * largest(wanted));
    }

    private static double largest(double[] values) {
        return Arrays.stream(values).map(Math::abs).max().orElse(0);
    }
}
