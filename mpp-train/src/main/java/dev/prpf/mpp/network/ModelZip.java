package dev.prpf.mpp.network;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.definition.NetworkSummary;
import dev.prpf.mpp.network.definition.NetworkSummary.Parameter;
import dev.prpf.mpp.network.host.ParameterStore;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipInputStream;

/**
 * A perceiver's model file, the zip of DL4J's {@code ModelSerializer}: {@code configuration.json}, {@code coefficients.bin} and, in a
 * checkpoint of a training, {@code updaterState.bin}. This class reads and checks it without DL4J or ND4J.
 */
public record ModelZip(Path path) {
    /** The version of DL4J that writes and reads these files. */
    public static final String DL4J = "1.0.0-M2.1";

    /** Rejects duplicate names, since DL4J's reader uses the first class, a JSON tree the last. */
    private static final ObjectMapper JSON = new ObjectMapper().enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION);

    private static final String CONFIGURATION = "configuration.json";
    private static final String COEFFICIENTS = "coefficients.bin";
    private static final String UPDATER = "updaterState.bin";
    /** DL4J's reader deserializes Java objects from other entries. */
    private static final List<String> ENTRIES = List.of(COEFFICIENTS, CONFIGURATION, UPDATER);

    private static final int CONFIGURATION_LIMIT = 1 << 20;

    private static final List<String> PACKAGES = List.of("dev.prpf.mpp.", "org.deeplearning4j.", "org.nd4j.");
    /** Properties that name classes in DL4J's configurations; the second also names enum values. */
    private static final String CLASS = "@class";

    private static final String TYPE = "type";

    /**
     * Reads the entries in file order, like DL4J, and not by the directory at the zip's end.
     *
     * @param length number of the network's parameters, which bounds the unpacked size of an entry
     */
    private Map<String, byte[]> entries(long length) throws IOException {
        Map<String, byte[]> entries = new HashMap<>();
        int limit = (int) Math.min(Integer.MAX_VALUE - 9, CONFIGURATION_LIMIT + 2 * Float.BYTES * length);
        try (ZipFile whole = new ZipFile(path.toFile()); // a truncated zip has no directory
                InputStream file = Files.newInputStream(path);
                ZipInputStream zip = new ZipInputStream(new BufferedInputStream(file))) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                String name = entry.getName();
                if (!ENTRIES.contains(name)) {
                    throw new InvalidDataException(path + ": holds the entry " + name
                            + ", a perceiver's model file holds " + ENTRIES + " only; nothing was restored");
                }
                byte[] bytes = zip.readNBytes(limit + 1);
                if (bytes.length > limit) {
                    throw new IOException("the entry " + name + " unpacks to more than " + limit
                            + " bytes, which no entry of a network of " + length + " parameters needs");
                }
                if (entries.put(name, bytes) != null) {
                    throw new IOException("it holds a duplicate entry " + name);
                }
            }
            if (whole.size() != entries.size()) {
                throw new IOException(
                        "its directory names " + whole.size() + " entries, " + entries.size() + " are in the file");
            }
            return entries;
        }
    }

    private byte[] bytes(Map<String, byte[]> entries, String name) {
        byte[] bytes = entries.get(name);
        if (bytes == null) {
            throw new InvalidDataException(path + ": has no " + name + ", a model file must hold it; train again");
        }
        return bytes;
    }

    private void requireShape(byte[] json, NetworkShape shape) throws IOException {
        JsonNode configuration = JSON.readTree(json);
        requireKnownClasses(configuration);
        JsonNode written = configuration.path("vertices").path("body").path("shape");
        NetworkShape own = written.isObject() ? JSON.treeToValue(written, NetworkShape.class) : null;
        if (!shape.equals(own)) {
            throw new InvalidDataException(path + ": does not match its description: it holds " + own
                    + ", the description says " + shape + "; use the two files of one checkpoint");
        }
    }

    private void requireKnownClasses(JsonNode node) {
        node.properties().forEach(property -> {
            String name = property.getValue().asText();
            boolean isClass =
                    property.getKey().equals(CLASS) || (property.getKey().equals(TYPE) && name.contains("."));
            if (isClass && PACKAGES.stream().noneMatch(name::startsWith)) {
                throw new InvalidDataException(path + ": names the class " + name + ", only classes of " + PACKAGES
                        + " are restored; nothing was loaded");
            }
        });
        node.forEach(this::requireKnownClasses);
    }

    /**
     * Checks that a training of this version wrote the file and can resume from it.
     *
     * @throws dev.prpf.base.error.PrpfException 65 if the zip is damaged, holds a foreign entry or class, is of another network, or has no
     *     updater state
     */
    public void requireResumable(NetworkShape shape) {
        read(shape, UPDATER);
    }

    /**
     * Returns the trained parameters.
     *
     * @throws dev.prpf.base.error.PrpfException 65 if no training of this version wrote the file, or if a value is not finite
     */
    public ParameterStore parameters(NetworkShape shape) {
        FloatBuffer values = read(shape, COEFFICIENTS);
        for (Parameter parameter : NetworkSummary.of(shape, 1).parameters()) {
            for (int i = 0; i < parameter.length(); i++) {
                float value = values.get();
                if (!Float.isFinite(value)) {
                    throw new InvalidDataException(path + ": array " + parameter.name() + " holds " + value
                            + " at index " + i + ", every value must be finite; train again");
                }
            }
        }
        return new ParameterStore(shape, values.flip());
    }

    /** Checks the file and that it has the needed entry, and returns the coefficients. */
    private FloatBuffer read(NetworkShape shape, String needed) {
        int length = NetworkSummary.of(shape, 1).parameters().stream()
                .mapToInt(Parameter::length)
                .sum();
        try {
            Map<String, byte[]> entries = entries(length);
            requireShape(bytes(entries, CONFIGURATION), shape);
            bytes(entries, needed);
            if (entries.containsKey(UPDATER)) {
                array(entries, UPDATER, 2L * length); // both moments
            }
            return array(entries, COEFFICIENTS, length);
        } catch (IOException | IllegalArgumentException e) {
            throw new InvalidDataException(path + ": cannot be read as a model file: " + e.getMessage()
                    + "; it must be a complete zip written by DL4J " + DL4J + "; copy it again, or train again");
        }
    }

    /** Reads an ND4J array in the format of {@code Nd4j.write}: header and elements of the shape, then of the values, big-endian. */
    private FloatBuffer array(Map<String, byte[]> entries, String name, long expected) throws IOException {
        byte[] bytes = bytes(entries, name);
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            in.readUTF();
            in.skipNBytes(in.readLong() * ("LONG".equals(in.readUTF()) ? Long.BYTES : 0));
            in.readUTF();
            long length = in.readLong();
            String type = in.readUTF();
            if (!"FLOAT".equals(type) || length != expected || in.available() != expected * Float.BYTES) {
                throw new IOException(name + " holds " + length + " values of type " + type + " in " + in.available()
                        + " bytes, the network has " + expected + " of type FLOAT");
            }
            return ByteBuffer.wrap(bytes)
                    .position(bytes.length - in.available())
                    .asFloatBuffer();
        }
    }
}
