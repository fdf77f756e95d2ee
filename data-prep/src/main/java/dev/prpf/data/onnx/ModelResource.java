package dev.prpf.data.onnx;

import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.files.AtomicFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A resource in a Maven artefact on the class path. Its fixed hash makes an encoder's id name exact bytes, and detects another
 * jar with a resource of the same name.
 *
 * @param size in bytes
 * @param sha256 SHA-256 of its bytes, hexadecimal
 * @param artefact the Maven artefact that contains it
 * @param remedy the next step if the class path lacks it
 */
public record ModelResource(String name, int size, String sha256, String artefact, String remedy) implements ModelFile {
    /** Resources with a verified hash. One check is enough, because the class path of a process does not change. */
    private static final Set<ModelResource> VERIFIED = ConcurrentHashMap.newKeySet();

    /** Creates a resource of an artefact that is a dependency of the project. */
    public ModelResource(String name, int size, String sha256, String artefact) {
        this(name, size, sha256, artefact, "start through ./prpf, or add the artefact to the class path");
    }

    @Override
    public void requirePresent() {
        if (ModelResource.class.getClassLoader().getResource(name) == null) {
            throw new UnavailableException("model file " + name + " is not on the class path; the Maven artefact "
                    + artefact + " contains it: " + remedy);
        }
    }

    @Override
    public ByteBuffer content() {
        requirePresent();
        try (InputStream in = ModelResource.class.getClassLoader().getResourceAsStream(name)) {
            byte[] bytes = new byte[size]; // up to 133 MB: read without a copy
            if (in != null) {
                in.readNBytes(bytes, 0, size);
            }
            return ByteBuffer.wrap(verified(bytes));
        } catch (IOException e) {
            throw new UnavailableException("model file " + name + " cannot be read from the class path: " + e);
        }
    }

    private byte[] verified(byte[] bytes) {
        if (VERIFIED.contains(this)) {
            return bytes;
        }
        String seen = AtomicFiles.sha256(bytes);
        if (!seen.equals(sha256)) {
            throw new UnavailableException("model file " + name + " on the class path has sha256 " + seen + ", must be "
                    + sha256 + " (" + artefact + "): another artefact shadows it, check the class path");
        }
        VERIFIED.add(this);
        return bytes;
    }

    /** Returns eight digits of the hash, for ids. */
    public String shortHash() {
        return sha256.substring(0, 8);
    }
}
