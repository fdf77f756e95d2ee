package dev.prpf.data.onnx;

import dev.prpf.base.error.UnavailableException;
import dev.prpf.base.files.AtomicFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;

/**
 * A file on the class path that a Maven artefact carries. Its hash is fixed, so that an encoder's id names the very bytes and another
 * jar with a resource of the same name is noticed.
 *
 * @param name resource name
 * @param size in bytes
 * @param sha256 of its bytes, hexadecimal
 * @param artefact the Maven artefact that carries it
 * @param remedy what to do where the class path lacks it
 */
public record ModelResource(String name, int size, String sha256, String artefact, String remedy) implements ModelFile {
    /** Of an artefact that is a dependency of the project. */
    public ModelResource(String name, int size, String sha256, String artefact) {
        this(name, size, sha256, artefact, "start through ./prpf, or add the artefact to the class path");
    }

    @Override
    public void requirePresent() {
        if (ModelResource.class.getClassLoader().getResource(name) == null) {
            throw new UnavailableException("model file " + name + " is not on the class path; the Maven artefact "
                    + artefact + " carries it: " + remedy);
        }
    }

    @Override
    public ByteBuffer content() {
        requirePresent();
        try (InputStream in = ModelResource.class.getClassLoader().getResourceAsStream(name)) {
            byte[] bytes = new byte[size]; // up to 133 MB: read to where they stay
            if (in != null) {
                in.readNBytes(bytes, 0, size);
            }
            return ByteBuffer.wrap(verified(bytes));
        } catch (IOException e) {
            throw new UnavailableException("model file " + name + " cannot be read from the class path: " + e);
        }
    }

    private byte[] verified(byte[] bytes) {
        String seen = AtomicFiles.sha256(bytes);
        if (!seen.equals(sha256)) {
            throw new UnavailableException("model file " + name + " on the class path has sha256 " + seen + ", must be "
                    + sha256 + " (" + artefact + "): another artefact shadows it, look at the class path");
        }
        return bytes;
    }

    /** Eight digits of the hash, for ids. */
    public String shortHash() {
        return sha256.substring(0, 8);
    }
}
