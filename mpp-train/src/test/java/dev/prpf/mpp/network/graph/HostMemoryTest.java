package dev.prpf.mpp.network.graph;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.mpp.network.Device;
import java.nio.FloatBuffer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

class HostMemoryTest {
    @BeforeAll
    static void start() {
        Device.current();
    }

    private static float[] values(FloatBuffer buffer) {
        float[] values = new float[buffer.remaining()];
        buffer.get(values);
        return values;
    }

    @Test
    void rowsAreReadInPlace() {
        INDArray rows = Nd4j.createFromArray(new float[][] {{1, 2}, {3, 4}});
        FloatBuffer buffer = HostMemory.read(rows);
        rows.putScalar(1, 0, 7);
        assertThat(values(buffer)).containsExactly(1, 2, 7, 4);
    }

    /** An off-heap copy would be freed with its array, which is unreachable while the buffer is read. */
    @Test
    void columnsAreCopiedToTheHeap() {
        INDArray columns = Nd4j.createFromArray(new float[][] {{1, 2}, {3, 4}}).dup('f');
        FloatBuffer buffer = HostMemory.read(columns);
        assertThat(buffer.hasArray()).isTrue();
        assertThat(values(buffer)).containsExactly(1, 2, 3, 4);
    }
}
