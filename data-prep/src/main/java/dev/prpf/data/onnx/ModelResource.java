package dev.prpf.data.onnx;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UnavailableException;
import dev.prpf.base.files.AtomicFiles;
import java.io.IOException;
import java.io.InputStream;

/**
 * A file on the class path that a Maven artefact carries: weights, a tokenizer, a list of characters. Its hash is fixed, so that
 * an encoder's id names the very bytes and another jar with a resource of the same name is noticed.
 *
 * @param name resource name
 * @param size in bytes
 * @param sha256 of its bytes, hexadecimal
 * @param artefact the Maven artefact that carries it
 */
public record ModelResource(String name, int size, String sha256, String artefact) {
    /**
     * The resource's bytes.
     *
     * @throws PrpfException 69 if the class path lacks it or holds another file of that name
     */
    public byte[] bytes() {
        try (InputStream in = ModelResource.class.getClassLoader().getResourceAsStream(name)) {
            if (in == null) {
                throw new UnavailableException("model file " + name + " is not on the class path; the Maven artefact "
                        + artefact + " carries it: start through ./prpf, or add the artefact to the class path");
            }
            byte[] bytes = new byte[size]; // up to 95 MB: read to where they stay
            in.readNBytes(bytes, 0, size);
            return verified(bytes);
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
