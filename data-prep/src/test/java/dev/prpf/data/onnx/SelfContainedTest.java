package dev.prpf.data.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.ProtoMessage;
import dev.prpf.data.onnx.OnnxModel.SelfContained;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SelfContainedTest {
    private static final int GRAPH = 7;

    @TempDir
    Path folder;

    /** A float tensor "w" with two values in a named external file. */
    private static ProtoMessage external(String location) {
        ProtoMessage entry = new ProtoMessage().text(1, "location").text(2, location);
        return new ProtoMessage()
                .integer(1, 2)
                .integer(2, 1)
                .text(8, "w")
                .message(13, entry)
                .integer(14, 1);
    }

    private static ProtoMessage model(ProtoMessage graph) {
        ProtoMessage opset = new ProtoMessage().text(1, "").integer(2, 17);
        return new ProtoMessage().integer(1, 8).message(GRAPH, graph).message(8, opset);
    }

    private static ProtoMessage nodeWith(int attributeField, ProtoMessage value) {
        ProtoMessage attribute = new ProtoMessage().text(1, "value").message(attributeField, value);
        return new ProtoMessage()
                .message(1, new ProtoMessage().text(4, "Constant").message(5, attribute));
    }

    private void refused(ProtoMessage model) throws IOException {
        Path file = folder.resolve("model.onnx");
        Files.write(file, model.onHeap().array());
        assertThatThrownBy(() -> OnnxModel.load(new ModelFile.OnDisk(file), 1).close())
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                .hasMessageContaining(file + ": the values of tensor \"w\" are in another file (external_data)")
                .hasMessageContaining("save_as_external_data=False");
    }

    @Test
    void tensorsInOtherFilesAreRefusedWhereverTheyStand() throws IOException {
        Files.write(folder.resolve("secret.txt"), new byte[8]); // there, so that the runtime would read it
        ProtoMessage tensor = external("secret.txt");
        refused(model(new ProtoMessage().message(5, tensor)));
        refused(model(new ProtoMessage().message(15, new ProtoMessage().message(1, tensor))));
        refused(model(nodeWith(5, tensor)));
        refused(model(nodeWith(10, tensor)));
        refused(model(nodeWith(22, new ProtoMessage().message(2, tensor))));
        refused(model(nodeWith(6, nodeWith(11, new ProtoMessage().message(5, tensor)))));
        ProtoMessage function = new ProtoMessage()
                .text(1, "f")
                .message(
                        7,
                        new ProtoMessage()
                                .text(4, "Constant")
                                .message(5, new ProtoMessage().text(1, "value").message(5, tensor)));
        refused(model(new ProtoMessage()).message(25, function));
        refused(model(new ProtoMessage())
                .message(20, new ProtoMessage().message(1, new ProtoMessage().message(5, tensor))));
        refused(model(
                new ProtoMessage().message(5, new ProtoMessage().text(8, "w").integer(14, 1L << 32 | 1))));
    }

    @Test
    void aWholeModelIsNotRefused() {
        OnnxGraph graph = new OnnxGraph("whole");
        ByteBuffer values = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
        String sum = graph.named("y", "Add", List.of(graph.input("x", 2), graph.weight("w", new long[] {2}, values)));
        graph.output(sum, 2);
        assertThatCode(() -> SelfContained.require("whole", graph.toModel())).doesNotThrowAnyException();
    }

    @Test
    void whatIsNoModelIsRefused() {
        for (byte[] bytes : List.of(new byte[] {7}, new byte[] {58, 100, 0}, new byte[] {-1, -1, -1, -1, -1, 1, 0})) {
            assertThatThrownBy(() -> SelfContained.require("x.onnx", ByteBuffer.wrap(bytes)))
                    .isInstanceOf(PrpfException.class)
                    .hasMessageContaining(
                            "x.onnx cannot be loaded by ONNX Runtime: it is not an ONNX model: not a Protocol");
        }
        ProtoMessage nested = new ProtoMessage();
        for (int depth = 0; depth < 60; depth++) {
            nested = nodeWith(6, nested);
        }
        ByteBuffer deep = model(nested).onHeap();
        assertThatThrownBy(() -> SelfContained.require("deep.onnx", deep))
                .hasMessageContaining("its messages are nested more than 100 deep");
    }

    @Test
    void aFileBeyondTwoGibibytesIsRefused() throws IOException {
        Path file = folder.resolve("large.onnx");
        try (RandomAccessFile large = new RandomAccessFile(file.toFile(), "rw")) {
            large.setLength(1L << 31);
        }
        assertThatThrownBy(() -> OnnxModel.load(new ModelFile.OnDisk(file), 1).close())
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                .hasMessageContaining("large.onnx: a network of 2147483648 bytes, must be smaller than 2 GiB");
    }
}
