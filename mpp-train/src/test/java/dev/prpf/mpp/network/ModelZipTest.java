package dev.prpf.mpp.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.mpp.MadeShape;
import dev.prpf.mpp.network.definition.JointLoss;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.graph.AdamMoments;
import dev.prpf.mpp.network.graph.PerceiverGraph;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.TimeZone;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.util.ModelSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ModelZipTest {
    private static final NetworkShape SHAPE = MadeShape.small().shape();

    @TempDir
    Path folder;

    private static ComputationGraph graph(NetworkShape shape) {
        JointLoss loss = new JointLoss(2, 0.5, 0.5);
        return PerceiverGraph.of(shape, new PerceiverGraph.Objective(loss, new AdamMoments(1e-3), 0.01), 7);
    }

    private Path written(NetworkShape shape) throws IOException {
        Path file = folder.resolve("mpp.zip");
        ModelSerializer.writeModel(graph(shape), file.toFile(), true);
        return file;
    }

    /** The zip with some of its entries replaced, or added. */
    private Path with(Map<String, byte[]> changes) throws IOException {
        Map<String, byte[]> entries = entries(written(SHAPE));
        entries.putAll(changes);
        Path file = folder.resolve("changed.zip");
        try (OutputStream out = Files.newOutputStream(file);
                ZipOutputStream zip = new ZipOutputStream(out)) {
            for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
                zip.putNextEntry(new ZipEntry(entry.getKey()));
                zip.write(entry.getValue());
            }
        }
        return file;
    }

    private static Map<String, byte[]> entries(Path file) throws IOException {
        Map<String, byte[]> entries = new LinkedHashMap<>();
        try (InputStream in = Files.newInputStream(file);
                ZipInputStream zip = new ZipInputStream(in)) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                entries.put(entry.getName(), zip.readAllBytes());
            }
        }
        return entries;
    }

    private static void assertBadData(ThrowingCallable reading, String... parts) {
        assertThatThrownBy(reading)
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                .hasMessageContainingAll(parts);
    }

    @Test
    void theCoefficientsAreTheGraphsParameters() throws IOException {
        Path file = written(SHAPE);
        float[] values = new ModelZip(file).parameters(SHAPE).values();
        assertThat(values).isEqualTo(graph(SHAPE).params().toFloatVector());
        ComputationGraph restored = PerceiverGraph.restore(new ModelZip(file), SHAPE);
        assertThat(restored.params()).isEqualTo(graph(SHAPE).params());
        assertThat(PerceiverGraph.shape(restored)).isEqualTo(SHAPE);
    }

    @Test
    void theSameGraphGivesTheSameBytesInEveryTimeZone() throws IOException {
        TimeZone own = TimeZone.getDefault();
        try {
            for (String zone : new String[] {"America/New_York", "Asia/Shanghai"}) {
                TimeZone.setDefault(TimeZone.getTimeZone(zone));
                PerceiverGraph.write(graph(SHAPE), folder.resolve(zone.replace('/', '-')), true);
            }
        } finally {
            TimeZone.setDefault(own);
        }
        Path file = folder.resolve("Asia-Shanghai");
        assertThat(Files.mismatch(file, folder.resolve("America-New_York"))).isEqualTo(-1);
        assertThat(PerceiverGraph.restore(new ModelZip(file), SHAPE).params())
                .isEqualTo(graph(SHAPE).params());
    }

    @Test
    void trainingDoesNotResumeWithoutUpdaterState() throws IOException {
        Path file = folder.resolve("best.zip");
        PerceiverGraph.write(graph(SHAPE), file, false);
        assertThat(new ModelZip(file).parameters(SHAPE).length())
                .isEqualTo(Math.toIntExact(graph(SHAPE).params().length()));
        assertBadData(
                () -> PerceiverGraph.restore(new ModelZip(file), SHAPE),
                "best.zip: has no updaterState.bin, a model file must hold it; train again");
    }

    /** DL4J would allocate the size that the header states. */
    @Test
    void anUpdatersStateOfAnotherLengthIsRefused() throws IOException {
        NetworkShape wider = MadeShape.small().transformer(64, 4, 2, 64).shape();
        Path file = with(Map.of("updaterState.bin", entries(written(wider)).get("updaterState.bin")));
        assertBadData(
                () -> PerceiverGraph.restore(new ModelZip(file), SHAPE),
                "updaterState.bin holds " + 2 * graph(wider).params().length() + " values",
                "the network has " + 2 * graph(SHAPE).params().length());
    }

    /** A compressed entry of a few kilobytes would unpack to 64 MiB. */
    @Test
    void entryLargerThanTheNetworkIsRejected() throws IOException {
        for (String name : new String[] {"configuration.json", "coefficients.bin", "updaterState.bin"}) {
            Path file = with(Map.of(name, new byte[64 << 20]));
            long limit = (1 << 20) + 8 * graph(SHAPE).params().length();
            assertBadData(
                    () -> new ModelZip(file).parameters(SHAPE),
                    "the entry " + name + " unpacks to more than " + limit + " bytes");
        }
    }

    @Test
    void theVersionIsTheLibrarysOnTheClassPath() throws IOException {
        Properties library = new Properties();
        try (InputStream in = ComputationGraph.class.getResourceAsStream(
                "/META-INF/maven/org.deeplearning4j/deeplearning4j-nn/pom.properties")) {
            library.load(in);
        }
        assertThat(ModelZip.DL4J).isEqualTo(library.getProperty("version"));
    }

    @Test
    void truncatedZipIsBadData() throws IOException {
        Path file = written(SHAPE);
        byte[] whole = Files.readAllBytes(file);
        for (int length : new int[] {0, 100, whole.length / 2, whole.length - 1}) {
            Files.write(file, Arrays.copyOf(whole, length));
            assertBadData(
                    () -> new ModelZip(file).parameters(SHAPE),
                    "mpp.zip: cannot be read as a model file",
                    "it must be a complete zip written by DL4J 1.0.0-M2.1");
        }
    }

    @Test
    void otherNetworkOfEqualSizeIsBadData() throws IOException {
        NetworkShape heads = MadeShape.small().transformer(32, 2, 2, 64).shape();
        Path file = written(heads);
        assertBadData(() -> new ModelZip(file).parameters(SHAPE), "does not match its description");
        assertBadData(() -> PerceiverGraph.restore(new ModelZip(file), SHAPE), "heads=2", "heads=4");
    }

    @Test
    void foreignClassIsRejectedBeforeRestoring() throws IOException {
        String json = new String(entries(written(SHAPE)).get("configuration.json"), StandardCharsets.UTF_8);
        for (String key : new String[] {"@class", "type"}) {
            String foreign = json.replaceFirst(
                    "\"gamma\" : 2.0", "\"gamma\" : 2.0, \"x\" : {\"" + key + "\" : \"javax.script.ScriptEngine\"}");
            assertThat(foreign).isNotEqualTo(json);
            Path file = with(Map.of("configuration.json", foreign.getBytes(StandardCharsets.UTF_8)));
            String refusal = "names the class javax.script.ScriptEngine";
            assertBadData(() -> PerceiverGraph.restore(new ModelZip(file), SHAPE), refusal, "nothing was loaded");
            assertBadData(() -> new ModelZip(file).parameters(SHAPE), refusal);
        }
    }

    private void assertClassRefused(String from, String to, String... parts) throws IOException {
        String json = new String(entries(written(SHAPE)).get("configuration.json"), StandardCharsets.UTF_8);
        String changed = json.replaceFirst(from, to);
        assertThat(changed).isNotEqualTo(json);
        Path file = with(Map.of("configuration.json", changed.getBytes(StandardCharsets.UTF_8)));
        assertBadData(() -> PerceiverGraph.restore(new ModelZip(file), SHAPE), parts);
        assertBadData(() -> new ModelZip(file).parameters(SHAPE), parts);
    }

    /** DL4J's reader takes the class from the first of two equal names. */
    @Test
    void foreignClassBeforeAKnownOneIsRejected() throws IOException {
        assertClassRefused(
                "\"@class\" : ",
                "\"@class\" : \"javax.script.ScriptEngine\", \"@class\" : ",
                "Duplicate field '@class'");
    }

    @Test
    void aForeignClassWithoutPackageIsRefused() throws IOException {
        assertClassRefused("\"@class\" : \"[^\"]*\"", "\"@class\" : \"Foreign\"", "names the class Foreign");
    }

    /** DL4J reads all entries in sequence, including those that the zip's directory does not list. */
    @Test
    void entriesMissingInTheDirectoryAreRejected() throws IOException {
        byte[] whole = Files.readAllBytes(written(SHAPE));
        for (String name : new String[] {"preprocessor.bin", "configuration.json"}) {
            Path file = folder.resolve("hidden.zip");
            try (OutputStream out = Files.newOutputStream(file)) {
                out.write(entryAlone(name));
                out.write(whole);
            }
            assertBadData(() -> PerceiverGraph.restore(new ModelZip(file), SHAPE), name);
        }
    }

    /** Returns the bytes of a zip's entry, without the zip's directory. */
    private static byte[] entryAlone(String name) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(out)) {
            zip.putNextEntry(new ZipEntry(name));
            zip.write('x');
        }
        int directory = out.toString(StandardCharsets.ISO_8859_1).indexOf("PK\1\2");
        return Arrays.copyOf(out.toByteArray(), directory);
    }

    @Test
    void coefficientsOfAnotherNetworkAreRejected() throws IOException {
        NetworkShape wider = MadeShape.small().transformer(64, 4, 2, 64).shape();
        Path file = with(Map.of("coefficients.bin", entries(written(wider)).get("coefficients.bin")));
        assertBadData(
                () -> PerceiverGraph.restore(new ModelZip(file), SHAPE),
                "coefficients.bin holds " + graph(wider).params().length() + " values",
                "the network has " + graph(SHAPE).params().length());
    }

    @Test
    void entryThatDl4jWouldDeserializeIsRejected() throws IOException {
        Path file = with(Map.of("preprocessor.bin", new byte[] {1, 2, 3}));
        assertBadData(
                () -> PerceiverGraph.restore(new ModelZip(file), SHAPE),
                "holds the entry preprocessor.bin",
                "nothing was restored");
    }

    @Test
    void nonFiniteWeightsAreBadDataWithArrayAndIndex() throws IOException {
        ComputationGraph graph = graph(SHAPE);
        graph.getParam("trigger_b").putScalar(0, Double.NaN);
        Path file = folder.resolve("mpp.zip");
        ModelSerializer.writeModel(graph, file.toFile(), false);
        assertBadData(
                () -> new ModelZip(file).parameters(SHAPE),
                "array trigger.logits.bias holds NaN at index 0, every value must be finite");
    }
}
